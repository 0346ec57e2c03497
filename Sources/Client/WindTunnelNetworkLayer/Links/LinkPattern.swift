/// A regular expression for whole texts that is matched in linear time: neither `Regex` nor
/// `NSRegularExpression` has a limit of steps, and one that is fetched could stop an app.
///
/// It knows literals, `.` for any byte, classes such as `[a-z]` and `[^/]`, groups, `|`, `*`, `+`,
/// `?`, the anchors `^` and `$`, and a backslash before punctuation. All else is refused with a
/// sentence. Texts are compared as UTF-8. A match takes at most its states times the text's bytes
/// (Thompson, "Regular Expression Search Algorithm", CACM 11.6, 1968).
public struct LinkPattern: Sendable {
  /// The greatest length of a pattern in bytes.
  public static let bytesMax = 512
  /// The greatest depth of groups in groups.
  public static let depthMax = 32

  /// The pattern as it is written.
  public let text: String
  private let program: [PatternStep]

  /// Reads a pattern.
  ///
  /// - Throws: ``LinkPatternError``, with what is not understood and what to write instead.
  public init(_ text: String) throws(LinkPatternError) {
    self.text = text
    var parser = PatternParser(text)
    program = try parser.program()
  }

  /// Tells whether the whole of a text is like the pattern.
  public func matches(_ text: String) -> Bool {
    var steps = 0
    return matches(text.utf8, counting: &steps)
  }

  /// Tells the same of bytes, and counts the states that it looks at.
  func matches(_ text: some Sequence<UInt8>, counting steps: inout Int) -> Bool {
    var run = PatternRun(program)
    var bytes = text.makeIterator()
    var next = bytes.next()
    run.begin(atEnd: next == nil)
    while let byte = next, !run.isDead {
      next = bytes.next()
      run.take(byte, isLast: next == nil)
    }
    steps += run.steps
    return next == nil && run.isMatched
  }
}

extension LinkPattern: Hashable {
  /// Tells whether two patterns are written alike.
  public static func == (one: LinkPattern, other: LinkPattern) -> Bool { one.text == other.text }
  /// Adds the text to a hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// The error of a text that is no pattern here.
public struct LinkPatternError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The pattern, its flaw with the place, and what to write instead.
  public let description: String

  init(_ pattern: String, at place: Int, _ flaw: String) {
    description = "The pattern \"\(pattern)\" is refused at byte \(place + 1): \(flaw)"
  }
}

/// A step of a pattern's program; numbers are places in it.
enum PatternStep: Sendable {
  /// Takes a byte of a set and goes on with the next step.
  case take(ByteSet)
  /// Goes on with both.
  case fork(Int, Int)
  case go(Int)
  case atStart
  case atEnd
  case matched
}

/// All ways through a program at once: each step is looked at once for each byte at most.
private struct PatternRun {
  private let program: [PatternStep]
  private(set) var steps = 0
  private(set) var isMatched = false
  /// The steps that wait for the next byte.
  private var waiting: [Int] = []
  private var marks: [Int]
  private var generation = 0
  private var stack: [Int] = []

  init(_ program: [PatternStep]) {
    self.program = program
    marks = Array(repeating: 0, count: program.count)
  }

  var isDead: Bool { waiting.isEmpty }

  mutating func begin(atEnd: Bool) {
    generation += 1
    follow(0, isStart: true, isEnd: atEnd)
  }

  mutating func take(_ byte: UInt8, isLast: Bool) {
    let before = waiting
    waiting.removeAll(keepingCapacity: true)
    generation += 1
    isMatched = false
    for place in before {
      if case .take(let set) = program[place], set.contains(byte) {
        follow(place + 1, isStart: false, isEnd: isLast)
      }
    }
  }

  private mutating func follow(_ first: Int, isStart: Bool, isEnd: Bool) {
    stack.append(first)
    while let place = stack.popLast() {
      guard marks[place] != generation else { continue }
      marks[place] = generation
      steps += 1
      switch program[place] {
      case .take: waiting.append(place)
      case .fork(let one, let other): stack += [other, one]
      case .go(let next): stack.append(next)
      case .atStart: if isStart { stack.append(place + 1) }
      case .atEnd: if isEnd { stack.append(place + 1) }
      case .matched: isMatched = isEnd
      }
    }
  }
}
