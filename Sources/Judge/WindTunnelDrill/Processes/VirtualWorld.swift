internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A process in virtual time, with all processes that it starts. The tool runs it by a hidden word,
/// and reports on its time at the end.
enum VirtualWorld {
  /// The hidden word by which the tool runs a command in virtual time.
  static let word = "run-in-virtual-time"

  /// Whether this process is in a world. Its clock does not advance while any of its threads runs.
  /// No program in it therefore waits for a processor, and timers do not measure computing time.
  static let isHere = Locked(false)

  #if os(Linux) && arch(x86_64)
    /// Whether the tool has a tracer for this system.
    static let isSupported = true
  #else
    /// Whether the tool has a tracer for this system.
    static let isSupported = false
  #endif

  /// The maximum virtual time of a world in seconds. No scenario takes a month.
  private static let limitSeconds = 30 * 86_400

  /// The minimum time between a request and its response: the cost of loopback. Without it, time
  /// would not advance for a client that repeats requests without a pause.
  static let exchangeTime = Duration.milliseconds(1)

  /// The maximum number of attempts of a call. The call is then ended, because its retries are
  /// unbounded.
  static let attemptsMax = 1000

  /// Returns the system call in which a process group sleeps if none of its threads has a deadline.
  /// It then sleeps indefinitely, unless something arrives. `nil` in real time, too.
  static func sleepWithoutLimit(of group: Int32) -> String? {
    guard isHere.withLock({ $0 }), group > 1 else { return nil }
    // No kernel has this signal. The tracer returns a system call and its argument, plus one.
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

  /// Returns the words before a command that begins at a date.
  static func words(startingAt date: Date = .now) -> [String] {
    [
      word, "--ends-with-parent", "--strict", "--notes-fd", "1", "--realtime",
      "\(date.timeIntervalSince1970)", "--limit", "\(limitSeconds)", "--",
    ]
  }

  /// Returns a file without a name that contains a text. A reader of the file does not have to wait
  /// for another process.
  static func file(of text: Data) throws -> FileHandle {
    let place = FileManager.default.temporaryDirectory.appending(path: "world-\(UUID())")
    // Only the owner can read the text at any time.
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

    /// The reason why time was not virtual from start to end, as text, or `nil` if it was.
    var obstacle: String? {
      let why: String? =
        switch reason {
        case "none" where outcome == "virtual limit": "it took more than 30 days"
        case "none" where outcome == "asleep for ever": "all of it sleeps, and nothing can wake it"
        case "none": outcome == "ended" ? nil : outcome
        case "unsupported": "this system cannot trace it"
        case "foreign peer": "it connected to a process outside"
        case "foreign descriptor": "it waits for a process outside"
        case "traced itself": "a program traces others"
        case "filter refused": "the system accepts no filter"
        case "unknown vDSO": "the system's clock is unknown"
        case "processor time": "a program computes without end"
        case "too many": "it exceeds a limit"
        case "other processor": "a program is for another processor"
        default: reason
        }
      return why.map { detail.isEmpty ? $0 : "\($0) (\(detail))" }
    }
  }
}

/// The state of a hung program.
struct ProgramHang: Sendable, Hashable {
  /// The time that the program waited for a processor during the call, or `nil` if it is unknown.
  var waited: Duration?
  /// The system call in which the program sleeps, if none of its threads has a deadline.
  var asleep: String?
}

/// The error of a scenario whose time was not virtual from start to end.
struct NotInVirtualTime: Error {
  /// The reason, as a clause.
  var reason: String
}
