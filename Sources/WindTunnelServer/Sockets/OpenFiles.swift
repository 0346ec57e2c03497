internal import Foundation

/// The limit of the files and connections that this process may have open at once
/// (`RLIMIT_NOFILE`).
public enum OpenFiles {
  /// The most that a process has open beside its connections.
  private static let others = 256

  /// Lets a server have as many connections as it takes, as far as the system allows that; a limit
  /// that is high enough stays as it is.
  ///
  /// - Returns: A sentence for a person where the system allows fewer.
  @discardableResult
  public static func raise() -> String? { raise(for: Limits.standard.connectionsMax) }

  /// The reason why no further file can be opened by now; `nil` where one can.
  static func shortage() -> Int32? {
    let descriptor = dup(STDERR_FILENO)
    guard descriptor < 0 else {
      Platform.close(descriptor)
      return nil
    }
    return [EMFILE, ENFILE].contains(errno) ? errno : nil
  }

  static func raise(for connections: Int) -> String? {
    var limit = rlimit()
    // A system that does not tell its limit tells it when it is met.
    guard getrlimit(Platform.openFiles, &limit) == 0 else { return nil }
    let wanted = connections + others
    let allowed = min(Int(clamping: limit.rlim_max), Platform.openFilesMax)
    if limit.rlim_cur < UInt64(min(wanted, allowed)) {
      limit.rlim_cur = rlim_t(min(wanted, allowed))
      setrlimit(Platform.openFiles, &limit)
      getrlimit(Platform.openFiles, &limit)
    }
    return sentence(Int(clamping: limit.rlim_cur), for: connections)
  }

  static func sentence(_ files: Int, for connections: Int) -> String? {
    guard files < connections + others else { return nil }
    return """
      The system lets this process have \(files) files open, which is room for about \
      \(max(0, files - others)) connections and not for \(connections); further ones wait. \
      `ulimit -Hn` shows the limit that an administrator can raise.
      """
  }
}
