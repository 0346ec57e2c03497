#if !canImport(Darwin)
  /// Writes to sockets and pipes whose reader has gone.
  package enum BrokenPipes {
    /// Has nothing to do: each write to a socket says that it wants no signal (`MSG_NOSIGNAL`).
    package static func ignore() {}
  }
#endif
