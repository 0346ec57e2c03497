#if canImport(Darwin)
  package import Darwin

  /// System calls and constants that differ between the two systems.
  package enum Platform {
    package static let stream = SOCK_STREAM
    /// No flag: a socket option prevents the signal of a broken pipe, and ``BrokenPipes`` if the
    /// option cannot be set.
    package static let writeFlags: Int32 = 0

    /// Returns a socket that is non-blocking and close-on-exec, or -1.
    package static func socket(_ family: Int32) -> Int32 {
      prepared(Darwin.socket(family, SOCK_STREAM, 0))
    }

    /// Returns the same for datagrams.
    package static func datagramSocket(_ family: Int32) -> Int32 {
      prepared(Darwin.socket(family, SOCK_DGRAM, 0))
    }

    /// Accepts one connection with the same flags, or returns -1.
    package static func accept(_ listener: Int32) -> Int32 {
      prepared(Darwin.accept(listener, nil, nil))
    }

    /// Returns the number of bytes in the send buffer; `nil` if it is unknown.
    package static func unsentBytes(_ socket: Int32) -> Int? {
      var count: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 ? Int(count) : nil
    }

    /// Returns `nil`: the system measures round trips in milliseconds, which is too coarse for
    /// local connections.
    package static func roundTrip(_ socket: Int32) -> Duration? { nil }

    /// Whether a full accept queue drops and counts connection attempts.
    ///
    /// A backlog of 0 means the maximum (listen(2): kern.ipc.somaxconn, 128 by default), so no
    /// queue is small enough to be filled on purpose. With more clients than that, connections wait
    /// for a second or longer.
    package static let dropsSYNs = false

    /// Returns `nil`: Darwin does not report how many connection attempts a listening socket
    /// dropped.
    package static func droppedSYNs(_ listener: Int32) -> Int? { nil }

    /// The resource that limits the descriptors of a process, and its maximum. The hard limit may
    /// be infinity, which setrlimit(2) rejects.
    static let openFiles = RLIMIT_NOFILE
    static let openFilesMax = Int(OPEN_MAX)

    /// The flag of an active interface.
    package static let interfaceUp = UInt32(IFF_UP)

    /// Returns the number of valid bytes in an address.
    package static func length(of address: UnsafePointer<sockaddr>) -> Int {
      Int(address.pointee.sa_len)
    }

    static func shutdownWriting(_ socket: Int32) { shutdown(socket, SHUT_WR) }

    package static func close(_ descriptor: Int32) { _ = Darwin.close(descriptor) }

    private static func prepared(_ descriptor: Int32) -> Int32 {
      guard descriptor >= 0 else { return descriptor }
      var one: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      // Fails for a connection that was reset before it was accepted.
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, size)
      return descriptor
    }
  }

  extension sockaddr_in {
    package static var empty: sockaddr_in {
      var address = sockaddr_in()
      address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      address.sin_family = sa_family_t(AF_INET)
      return address
    }
  }

  extension sockaddr_in6 {
    package static var empty: sockaddr_in6 {
      var address = sockaddr_in6()
      address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
      address.sin6_family = sa_family_t(AF_INET6)
      return address
    }
  }

  /// The handling of writes to sockets and pipes whose reader has closed.
  package enum BrokenPipes {
    private static let isIgnored: Void = {
      // A handler of the host stays in place; the default is nil.
      if let own = signal(SIGPIPE, SIG_IGN) { signal(SIGPIPE, own) }
    }()

    /// Makes such a write return an error, for the lifetime of the process.
    ///
    /// Darwin sends the signal to the process rather than to the writing thread, so blocking it in
    /// a thread does not help.
    package static func ignore() { isIgnored }
  }

  /// The names of OpenSSL's libraries, and the folders of Homebrew and MacPorts.
  ///
  /// The system includes no version that other programs may use.
  enum OpenSSLNames {
    static let crypto = "libcrypto.3.dylib"
    static let ssl = "libssl.3.dylib"
    package static let folders = [
      "/opt/homebrew/opt/openssl@3/lib/", "/usr/local/opt/openssl@3/lib/",
      "/opt/local/libexec/openssl3/lib/",
    ]
    package static let advice = "install it (brew install openssl@3)"
  }
#endif
