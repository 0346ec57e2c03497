#if !canImport(Darwin)
  internal import CWindTunnelSystem
  package import Foundation

  /// System calls and constants that differ between the two systems.
  package enum Platform {
    package static let stream = Int32(SOCK_STREAM.rawValue)
    /// A write to a closed connection returns an error instead of raising a signal.
    package static let writeFlags = Int32(MSG_NOSIGNAL)

    /// Returns a socket that is non-blocking and close-on-exec, or -1.
    package static func socket(_ family: Int32) -> Int32 { make(family, SOCK_STREAM.rawValue) }

    /// Returns the same for datagrams.
    package static func datagramSocket(_ family: Int32) -> Int32 {
      make(family, SOCK_DGRAM.rawValue)
    }

    private static func make(_ family: Int32, _ type: UInt32) -> Int32 {
      Glibc.socket(family, Int32(type | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// Accepts one connection with the same flags, or returns -1.
    package static func accept(_ listener: Int32) -> Int32 { wt_accept(listener) }

    /// Returns the number of bytes that the peer's system has not acknowledged; `nil` if it is
    /// unknown.
    package static func unsentBytes(_ socket: Int32) -> Int? {
      let count = wt_unsent_bytes(socket)
      return count < 0 ? nil : Int(count)
    }

    /// Returns the minimum round-trip time of a connection; `nil` if it is unknown.
    package static func roundTrip(_ socket: Int32) -> Duration? {
      // TCP_INFO contains tcpi_min_rtt in microseconds (linux/tcp.h; glibc's structure is shorter).
      var info = [UInt32](repeating: 0, count: 64)
      var size = socklen_t(info.count * MemoryLayout<UInt32>.stride)
      let code = getsockopt(socket, Int32(IPPROTO_TCP), 11, &info, &size)
      guard code == 0, size >= 152, 1..<UInt32.max ~= info[37] else { return nil }
      return .microseconds(Int64(info[37]))
    }

    /// Whether a full accept queue drops and counts connection attempts.
    package static let dropsSYNs = true

    /// Returns the number of connection attempts that a listening socket has dropped; `nil` if it
    /// is unknown.
    package static func droppedSYNs(_ listener: Int32) -> Int? {
      // SO_MEMINFO contains SK_MEMINFO_DROPS as the last of nine values.
      var counts = [UInt32](repeating: 0, count: 9)
      var size = socklen_t(counts.count * MemoryLayout<UInt32>.stride)
      let code = getsockopt(listener, SOL_SOCKET, 55, &counts, &size)
      return code == 0 && Int(size) == counts.count * 4 ? Int(counts[8]) : nil
    }

    /// The resource that limits the descriptors of a process, and its maximum.
    static let openFiles = Int32(RLIMIT_NOFILE.rawValue)
    static let openFilesMax = Int.max

    /// The flag of an active interface.
    package static let interfaceUp = UInt32(IFF_UP)

    /// Returns the number of valid bytes in an address; here, the family determines it.
    package static func length(of address: UnsafePointer<sockaddr>) -> Int { .max }

    static func shutdownWriting(_ socket: Int32) { shutdown(socket, Int32(SHUT_WR)) }

    package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
  }

  extension sockaddr_in {
    package static var empty: sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      return address
    }
  }

  extension sockaddr_in6 {
    package static var empty: sockaddr_in6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      return address
    }
  }

  /// The handling of writes to sockets and pipes whose reader has closed.
  package enum BrokenPipes {
    /// Does nothing: each write to a socket disables the signal (`MSG_NOSIGNAL`).
    package static func ignore() {}
  }

  /// The names of OpenSSL's libraries.
  enum OpenSSLNames {
    static let crypto = "libcrypto.so.3"
    static let ssl = "libssl.so.3"
    package static let folders = [""]
    package static let advice = "install it (apt install libssl3, dnf install openssl-libs)"
  }
#endif
