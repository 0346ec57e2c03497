/// Why a server cannot start.
public enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The port belongs to another process.
  case portInUse(Int)
  /// The address or port cannot be listened at.
  case cannotListen(String)
  /// A folder cannot be watched: half a sentence says why.
  case cannotWatch(String)
  /// TLS was asked for and there is none: half a sentence says why.
  case tlsUnavailable(String)
  /// The upstream's address makes no sense or is not known.
  case upstream(String)

  /// The sentence for a person.
  public var description: String {
    switch self {
    case .portInUse(let port):
      "Port \(port) is in use; choose another, or 0 for any that is free."
    case .cannotListen(let reason): "Cannot listen: \(reason)."
    case .cannotWatch(let reason): "Saves cannot be watched: \(reason)."
    case .tlsUnavailable(let reason):
      "TLS is not to be had: \(reason). To have it, \(OpenSSLNames.advice), or name the folder "
        + "that it lies in by \(OpenSSLNames.folderVariable)."
    case .upstream(let reason): "The upstream cannot be used: \(reason)."
    }
  }

  init(_ error: SocketError, port: Int) {
    self = error.kind == .portInUse ? .portInUse(port) : .cannotListen("\(error)")
  }
}

extension OpenSSLNames {
  /// The variable that names the only folder in which the libraries are looked for.
  static let folderVariable = "WINDTUNNEL_OPENSSL"
}
