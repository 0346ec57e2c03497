/// A regular expression that matches whole strings in linear time.
///
/// Neither `Regex` nor `NSRegularExpression` limits its steps, so a fetched expression could block
/// an app. This type supports literals, `.` for any byte, classes such as `[a-z]` and `[^/]`, and a
/// backslash before punctuation. It also supports groups, `|`, `*`, `+`, `?`, and the anchors `^`
/// and `$`. All other syntax is refused with an explanation.
///
/// Strings are compared as UTF-8. A match takes at most the number of states times the number of
/// bytes (Thompson, "Regular Expression Search Algorithm", CACM 11.6, 1968).
public struct LinkPattern: Sendable, Hashable {
  /// The maximum length of a pattern in bytes.
  public static let bytesMax = 512
  /// The maximum nesting depth of groups.
  public static let depthMax = 32

  /// The pattern as it was written.
  public let text: String
  private let program: [PatternStep]

  /// Parses a pattern.
  ///
  /// - Throws: ``LinkPatternError``, which names the unsupported syntax and an alternative.
  public init(_ text: String) throws(LinkPatternError) {
    self.text = text
    var parser = PatternParser(text)
    program = try parser.program()
  }

  /// Returns whether the whole text matches the pattern.
  public func matches(_ text: String) -> Bool {
    var steps = 0
    return matches(text.utf8, counting: &steps)
  }

  /// Returns whether all bytes match the pattern, and counts the visited states.
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

  /// Returns whether two patterns have the same text.
  public static func == (one: LinkPattern, other: LinkPattern) -> Bool { one.text == other.text }
  /// Adds the text to a hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// The error of an unsupported or invalid pattern.
public struct LinkPatternError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The pattern, the position of its flaw, and the fix.
  public let description: String

  init(_ pattern: String, at place: Int, _ flaw: String) {
    description = "The pattern \"\(pattern)\" is invalid at byte \(place + 1): \(flaw)"
  }
}

/// A step of a pattern's program. Numbers are distances to other steps.
enum PatternStep: Sendable {
  /// Consumes a byte of a set and continues with the next step.
  case take(ByteSet)
  /// Continues with both steps.
  case fork(Int, Int)
  case go(Int)
  case atStart
  case atEnd
  case matched
}

/// Follows all paths through a program at once, so that each step is visited at most once per byte.
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
      case .fork(let one, let other): stack += [place + other, place + one]
      case .go(let next): stack.append(place + next)
      case .atStart: if isStart { stack.append(place + 1) }
      case .atEnd: if isEnd { stack.append(place + 1) }
      case .matched: isMatched = isEnd
      }
    }
  }
}
