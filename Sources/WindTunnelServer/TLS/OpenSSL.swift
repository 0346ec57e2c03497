internal import Foundation

/// OpenSSL 3, opened at run time: whoever builds this package needs no headers, and whoever runs it
/// without OpenSSL misses nothing but TLS.
///
/// Its objects are opaque pointers, and each has one holder here that frees it. The error queue is
/// the thread's: it is emptied before a call and read after it, with nothing between.
struct OpenSSL: Sendable {
  let crypto: CryptoFunctions
  let ssl: SSLFunctions

  /// The library of this process; opened at the first call.
  static func shared() throws(ServerError) -> OpenSSL { try opened.get() }

  private static let opened: Result<OpenSSL, ServerError> = {
    let folder = ProcessInfo.processInfo.environment[OpenSSLNames.folderVariable] ?? ""
    let folders = folder.isEmpty ? OpenSSLNames.folders : ["\(folder)/"]
    do throws(ServerError) { return .success(try OpenSSL(in: folders)) } catch {
      return .failure(error)
    }
  }()

  /// Opens both libraries in the first folder that has them; an empty one stands for wherever the
  /// system looks.
  init(in folders: [String]) throws(ServerError) {
    for folder in folders {
      guard let crypto = dlopen(folder + OpenSSLNames.crypto, RTLD_NOW) else { continue }
      // Before anything else of it runs: its clean-up at exit races with threads that still use it.
      Self.keepsNoExitHandler(crypto)
      guard let ssl = dlopen(folder + OpenSSLNames.ssl, RTLD_NOW) else { continue }
      self.crypto = try CryptoFunctions(SharedLibrary(crypto, OpenSSLNames.crypto))
      self.ssl = try SSLFunctions(SharedLibrary(ssl, OpenSSLNames.ssl))
      return
    }
    let places = folders.map { $0.isEmpty ? "where the system keeps libraries" : $0 }
    throw .tlsUnavailable(
      "OpenSSL 3 was not found: there is no \(OpenSSLNames.ssl) \(Self.list(places))"
    )
  }

  private static func list(_ places: [String]) -> String {
    places.map { $0.hasSuffix("/") ? "in \($0.dropLast())" : $0 }.joined(separator: " or ")
  }

  private static func keepsNoExitHandler(_ library: UnsafeMutableRawPointer) {
    guard let symbol = dlsym(library, "OPENSSL_init_crypto") else { return }
    typealias Initialise = @convention(c) (UInt64, OpaquePointer?) -> Int32
    // OPENSSL_INIT_NO_ATEXIT. If somebody has initialised the library before, it is too late.
    _ = unsafeBitCast(symbol, to: Initialise.self)(0x0008_0000, nil)
  }

  /// What the thread's error queue holds, the oldest first; the queue is empty after it.
  func takeError() -> (code: UInt, text: String)? {
    let code = crypto.ERR_get_error()
    guard code != 0 else { return nil }
    let text = crypto.ERR_reason_error_string(code).map { String(cString: $0) }
    crypto.ERR_clear_error()
    return (code, text ?? "error \(code)")
  }

  /// The failed call's name and the reason, for what cannot fail but for a lack of memory.
  func failure(of call: String) -> ServerError {
    .tlsUnavailable("OpenSSL's \(call) failed: \(takeError()?.text ?? "it does not say why")")
  }
}

/// A library and its functions by name.
struct SharedLibrary {
  private let handle: UnsafeMutableRawPointer
  private let name: String

  init(_ handle: UnsafeMutableRawPointer, _ name: String) {
    (self.handle, self.name) = (handle, name)
  }

  /// A function, of the type that its manual page gives; nothing checks that.
  func function<Function>(_ symbol: String) throws(ServerError) -> Function {
    guard let address = dlsym(handle, symbol) else {
      throw .tlsUnavailable("\(name) has no \(symbol), so it is not OpenSSL 3")
    }
    return unsafeBitCast(address, to: Function.self)
  }
}
