import Programs
import Testing

/// Networks of a test's own, which no packet leaves.
enum Namespaces {
  /// Why tests are left out that want them.
  static let areMissing: Comment =
    "No user, mount and net namespace of one's own may be had here, or python3, ip or nsenter is missing."

  /// Whether this user may have some, and the programs to set them up are here.
  static let areHere: Bool = {
    let programs = ["python3", "ip", "nsenter", "unshare"]
    guard programs.allSatisfy({ Companion.find($0) != nil }) else { return false }
    return StartedProgram.succeeds("exec unshare -Urnm ip link set lo up > /dev/null 2>&1")
  }()
}
