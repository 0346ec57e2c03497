// Constants that are enumerations or plain integers under Linux. They are in the stubs of Darwin and of
// Foundation, since each would else find Glibc's beside them.
import Glibc

public let SOCK_STREAM: Int32 = 1
public let SOCK_DGRAM: Int32 = 2
public let SHUT_RD: Int32 = 0
public let SHUT_WR: Int32 = 1
public let SHUT_RDWR: Int32 = 2
public let IFF_UP: Int32 = 0x1
public let RLIMIT_NOFILE: Int32 = 8
public func getrlimit(_ which: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { -1 }
@discardableResult
public func setrlimit(_ which: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { -1 }
