// Darwin's C library, as far as it is not like Glibc's: names that it has beside it, constants that
// have another type, and calls that it lacks.
@_exported import CDarwin
@_exported import Glibc
// The owner of `timespec` where the compiler has read it before Glibc; Darwin has one of its own.
@_exported import SwiftOverlayShims

// Names that Linux has not.
public let F_FULLFSYNC: Int32 = 51
public let F_GETPATH: Int32 = 50
public let OPEN_MAX: Int32 = 10_240
public let SO_NOSIGPIPE: Int32 = 0x1022
public let SO_NWRITE: Int32 = 0x1024
extension sockaddr {
  public var sa_len: UInt8 { 0 }
}
extension sockaddr_in {
  public var sin_len: UInt8 {
    get { 0 }
    set {}
  }
}
extension sockaddr_in6 {
  public var sin6_len: UInt8 {
    get { 0 }
    set {}
  }
}

// Names that Darwin has not.
@available(*, unavailable, message: "not in Darwin")
public func accept4(_: Int32, _: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?, _: Int32)
  -> Int32
{ -1 }
@available(*, unavailable, message: "not in Darwin")
public func pipe2(_: UnsafeMutablePointer<Int32>, _: Int32) -> Int32 { -1 }
@available(*, unavailable, message: "not in Darwin")
public func prctl(_: Int32) -> Int32 { -1 }
@available(*, unavailable, message: "not in Darwin")
public let SOCK_NONBLOCK: Int32 = 0
@available(*, unavailable, message: "not in Darwin")
public let SOCK_CLOEXEC: Int32 = 0
@available(*, unavailable, message: "not in Darwin")
public let MSG_NOSIGNAL: Int32 = 0
