internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A process in virtual time, with all that it starts. The tool runs it by a hidden word, and
/// reports on its time at the end.
enum VirtualWorld {
  /// The hidden word by which the tool runs a command in virtual time.
  static let word = "run-in-virtual-time"

  /// Whether this process is in one. Its clock stands while anything runs, so no program in it
  /// waits for a processor, and timers do not measure what a program computes.
  static let isHere = Locked(false)

  #if os(Linux) && arch(x86_64)
    /// Whether the tool has a tracer for this system.
    static let isSupported = true
  #else
    /// Whether the tool has a tracer for this system.
    static let isSupported = false
  #endif

  /// The maximum of virtual time in a world, in seconds: no scenario takes a month.
  private static let limitSeconds = 30 * 86_400

  /// The minimum time between a request and its response: the cost of loopback. Without it
  /// a client that repeats without a pause would let no time pass.
  static let exchangeTime = Duration.milliseconds(1)

  /// The maximum number of attempts of a call. The call is ended then: they are without bound.
  static let attemptsMax = 1000

  /// Returns the call in which a process group sleeps if none of its threads has a deadline: it
  /// sleeps for ever then, unless something arrives. `nil` in real time, too.
  static func sleepWithoutLimit(of group: Int32) -> String? {
    guard isHere.withLock({ $0 }), group > 1 else { return nil }
    // A signal that no kernel has: the tracer responds with a call and its argument, plus one.
    let answer = kill(-group, 22_356) - 1
    guard answer >= 0, let call = calls[answer >> 16] else { return nil }
    return call.hasDescriptor ? "\(call.name) of descriptor \(answer & 0xFFFF)" : call.name
  }

  /// The calls in which clients sleep, by their numbers on x86-64 (syscalls(2)).
  private static let calls: [Int32: (name: String, hasDescriptor: Bool)] = [
    0: ("read", true), 7: ("poll", false), 23: ("select", false), 42: ("connect", true),
    45: ("recvfrom", true), 47: ("recvmsg", true), 202: ("futex", false),
    232: ("epoll_wait", false), 270: ("pselect6", false), 271: ("ppoll", false),
    281: ("epoll_pwait", false),
  ]

  /// Returns the words in front of a command that begins at a date.
  static func words(startingAt date: Date = .now) -> [String] {
    [
      word, "--ends-with-parent", "--strict", "--notes-fd", "1", "--realtime",
      "\(date.timeIntervalSince1970)", "--limit", "\(limitSeconds)", "--",
    ]
  }

  /// Returns a file without a name that contains a text. Its reader waits for no other process.
  static func file(of text: Data) throws -> FileHandle {
    let place = FileManager.default.temporaryDirectory.appending(path: "world-\(UUID())")
    // Only its owner may read the text at any time.
    let descriptor = open(place.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DrillError.harness("\(place.path) cannot be written") }
    unlink(place.path)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: text)
    try file.seek(toOffset: 0)
    return file
  }

  /// The line that the tool writes when a world has ended.
  struct Notes: Decodable, Sendable {
    private var outcome: String
    private var reason: String
    private var detail: String
    var virtualNanoseconds: Int64

    /// Reads a line; `nil` if it is another line.
    init?(line: String) {
      guard line.hasPrefix("{\"outcome\""),
        // Any other line is output of a program.
        let notes = try? JSONDecoder().decode(Notes.self, from: Data(line.utf8))
      else { return nil }
      self = notes
    }

    /// The reason why time was not virtual from start to end, in words; `nil` if it was.
    var obstacle: String? {
      let why: String? =
        switch reason {
        case "none" where outcome == "virtual limit": "it took more than 30 days"
        case "none" where outcome == "asleep for ever": "all of it sleeps, and nothing can wake it"
        case "none": outcome == "ended" ? nil : outcome
        case "unsupported": "this system cannot trace it"
        case "foreign peer": "it connected to a process outside"
        case "foreign descriptor": "it waits for a process outside"
        case "traced itself": "a program in it traces others"
        case "filter refused": "the system takes no filter"
        case "unknown vDSO": "the system's clock is not known"
        case "processor time": "a program in it computes without end"
        case "too many": "it exceeds a limit"
        case "other processor": "a program in it is for another processor"
        default: reason
        }
      return why.map { detail.isEmpty ? $0 : "\($0) (\(detail))" }
    }
  }
}

/// The state of a hung program.
struct ProgramHang: Sendable, Hashable {
  /// The time that it waited for a processor in the call; `nil` if that is unknown.
  var waited: Duration?
  /// The system call in which it sleeps, if none of its threads has a deadline.
  var asleep: String?
}

/// The error of a scenario whose time was not virtual from start to end.
struct NotInVirtualTime: Error {
  /// The reason, in half a sentence.
  var reason: String
}
