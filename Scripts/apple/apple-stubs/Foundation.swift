// Apple's Foundation, as far as it is not like the one on Linux: networking and XML are in it, and so
// are these. Compiled once as the one of macOS and once, with IOS, as the one of the other systems.
@_exported import Darwin
@_exported import Dispatch
@_exported import Foundation
@_exported import FoundationNetworking
@_exported import FoundationXML
@_exported import Security

#if IOS
  @available(*, unavailable, message: "iOS has no other programs")
  public final class Process {}
  extension FileManager {
    @available(*, unavailable, message: "not on iOS")
    public var homeDirectoryForCurrentUser: URL { temporaryDirectory }
  }
#else
  /// Not `Sendable`, unlike the one on Linux.
  open class Process: NSObject {
    public enum TerminationReason: Int, Sendable { case exit = 1, uncaughtSignal = 2 }

    open var executableURL: URL?
    open var arguments: [String]?
    open var environment: [String: String]?
    open var currentDirectoryURL: URL?
    open var standardInput: Any?
    open var standardOutput: Any?
    open var standardError: Any?
    open var terminationHandler: (@Sendable (Process) -> Void)?
    open var isRunning: Bool { false }
    open var processIdentifier: Int32 { 0 }
    open var terminationStatus: Int32 { 0 }
    open var terminationReason: TerminationReason { .exit }
    open func run() throws {}
    open func interrupt() {}
    open func terminate() {}
    open func waitUntilExit() {}
  }

  @available(*, unavailable)
  extension Process: @unchecked Sendable {}
#endif

extension URLProtocol {
  // What comes from Objective-C may be left unused.
  @discardableResult
  public static func registerClass(_ type: AnyClass) -> Bool { false }
}

public final class CFRunLoop {}
public func CFRunLoopWakeUp(_ loop: CFRunLoop!) {}
extension RunLoop {
  public func getCFRunLoop() -> CFRunLoop { CFRunLoop() }
}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
extension URLProtectionSpace {
  public var serverTrust: SecTrust? { nil }
}
extension URLCredential {
  public convenience init(trust: SecTrust) {
    self.init(user: "", password: "", persistence: .none)
  }
}

extension URLSessionConfiguration {
  public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    .default
  }
  public var isDiscretionary: Bool {
    get { false }
    set {}
  }
  public var sharedContainerIdentifier: String? {
    get { nil }
    set {}
  }
}
extension URLSession {
  public var allTasks: [URLSessionTask] { get async { [] } }
}
