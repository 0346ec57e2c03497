#if canImport(Darwin)
  internal import Darwin

  /// Writes to sockets and pipes whose reader has gone.
  package enum BrokenPipes {
    private static let isIgnored: Void = {
      // A handler of the host's own stays; the default is nil.
      if let own = signal(SIGPIPE, SIG_IGN) { signal(SIGPIPE, own) }
    }()

    /// Lets such a write fail with an error for as long as the process lives: Darwin sends its signal
    /// to the process and not to the thread that writes, so that blocking it in one does not help.
    package static func ignore() { isIgnored }
  }
#endif
