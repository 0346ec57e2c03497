/// Why a server cannot start.
public enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The port belongs to another process.
  case portInUse(Int)
  /// The address or port cannot be listened at.
  case cannotListen(String)
  /// The upstream's address makes no sense or is not known.
  case upstream(String)

  /// The sentence for a person.
  public var description: String {
    switch self {
    case .portInUse(let port):
      "Port \(port) is in use; choose another, or 0 for any that is free."
    case .cannotListen(let reason): "Cannot listen: \(reason)."
    case .upstream(let reason): "The upstream cannot be used: \(reason)."
    }
  }

  init(_ error: SocketError, port: Int) {
    self = error.kind == .portInUse ? .portInUse(port) : .cannotListen("\(error)")
  }
}
