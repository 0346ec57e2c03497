package import WindTunnel

/// A thing that a console shows as a line, and in full where somebody asks.
package protocol ConsoleSubject: Sendable {
  /// The number of the line.
  var id: Int { get }
  /// The memory that it takes beside the line, roughly, in bytes.
  var cost: Int { get }
  /// The line as it stands now; made only where somebody looks.
  var row: ConsoleRow { get }
  /// Returns the details that are shown, as members of a JSON object beside `"row"`.
  ///
  /// - Parameter scenario: The scenario of its segment, where that is kept.
  /// - Returns: The members.
  func detail(in scenario: Scenario?) -> [JSON.Member]
  /// The request as it came; `nil` where it is none.
  var request: Request? { get }
  /// The interaction that it would be on a cassette; `nil` where it cannot be kept.
  var interaction: Interaction? { get }
  /// The reason why its request is not sent again, as a sentence; `nil` where it may be.
  var reasonAgainstRepeat: String? { get }
}

extension ConsoleSubject {
  /// Whoever has the request whole may send it.
  package var reasonAgainstRepeat: String? { nil }
}

/// The latest things that a console shows, and what of them has changed: bounded, and a value.
package struct ConsoleFeed<Subject: ConsoleSubject>: Sendable {
  /// The number of lines that are kept; the oldest go first, a tenth at a time.
  package static var subjectsMax: Int { 10_000 }
  /// The memory that they take at most, roughly, in bytes.
  package static var bytesMax: Int { 64 << 20 }
  /// The number of segments and of findings that are kept.
  package static var remarksMax: Int { 1000 }
  /// The number of changes that readers can be behind before they are only told how many.
  private static var changesMax: Int { 20_000 }

  /// The things that are kept; their numbers follow each other.
  package private(set) var subjects: [Subject] = []
  /// The count of those that are no longer kept.
  package private(set) var dropped = 0
  package private(set) var segments: [ConsoleSegment] = []
  package private(set) var findings: [JSON] = []
  package var counters = ConsoleCounters()
  /// Tells whether changes are noted: somebody looks.
  package var isWatched = false {
    didSet { if !isWatched { forgetChanges() } }
  }
  private var bytes = 0
  /// The numbers of the lines that changed, in order; the first is change `changesBefore`.
  private var changed: [Int] = []
  private var changesBefore = 0

  /// Makes an empty feed.
  package init() {}

  /// The number of the next line.
  package var nextID: Int { (subjects.last?.id ?? dropped) + 1 }
  /// The count of changes so far, which a reader goes on from.
  package var changeCount: Int { changesBefore + changed.count }

  /// Adds a thing, whose number is ``nextID``.
  package mutating func append(_ subject: Subject) {
    subjects.append(subject)
    bytes += subject.cost
    note(subject.id)
    trim()
  }

  private mutating func trim() {
    while subjects.count > Self.subjectsMax || (bytes > Self.bytesMax && subjects.count > 1) {
      let few = min(max(1, subjects.count / 10), subjects.count - 1)
      for old in subjects.prefix(few) { bytes -= old.cost }
      subjects.removeFirst(few)
      dropped += few
    }
  }

  /// Changes a thing that is still kept.
  package mutating func update(_ id: Int, _ change: (inout Subject) -> Void) {
    guard let index = index(of: id) else { return }
    bytes -= subjects[index].cost
    change(&subjects[index])
    bytes += subjects[index].cost
    note(id)
    trim()
  }

  /// Returns a thing by its number; `nil` where it is not kept.
  package subscript(id: Int) -> Subject? { index(of: id).map { subjects[$0] } }

  private func index(of id: Int) -> Int? {
    // Any number may be asked for, the smallest that there is, too.
    guard let first = subjects.first?.id, let last = subjects.last?.id, id >= first, id <= last
    else { return nil }
    return id - first
  }

  /// Adds a segment; the last ones are kept where they are too many.
  package mutating func begin(_ scenario: Scenario, seed: UInt64, at moment: Duration) {
    guard segments.count < Self.remarksMax else { return }
    segments.append(ConsoleSegment(number: segments.count + 1, scenario, seed: seed, at: moment))
  }

  /// Adds a finding, unless there are enough.
  package mutating func add(_ finding: JSON) {
    if findings.count < Self.remarksMax { findings.append(finding) }
  }

  /// Returns the things that changed behind a count of changes.
  ///
  /// - Parameters:
  ///   - count: The count up to which a reader has seen the changes.
  ///   - most: The number of things that are returned at most, the latest.
  /// - Returns: The things in the order of their numbers, and how many others changed.
  package func changes(after count: Int, most: Int) -> (subjects: [Subject], others: Int) {
    let lost = max(0, changesBefore - count)
    let fresh = changed.dropFirst(max(0, count - changesBefore))
    var seen: Set<Int> = []
    var latest: [Int] = []
    for id in fresh.reversed() where seen.insert(id).inserted && latest.count < most {
      latest.append(id)
    }
    return (latest.sorted().compactMap { self[$0] }, lost + seen.count - latest.count)
  }

  /// Returns the things behind a number, the first so many.
  package func subjects(after id: Int, most: Int) -> ArraySlice<Subject> {
    guard let first = subjects.first?.id else { return [] }
    guard id >= first else { return subjects.prefix(max(0, most)) }
    return subjects.dropFirst(id - first + 1).prefix(max(0, most))
  }

  private mutating func note(_ id: Int) {
    guard isWatched else { return }
    changed.append(id)
    guard changed.count > Self.changesMax else { return }
    let half = changed.count / 2
    changed.removeFirst(half)
    changesBefore += half
  }

  private mutating func forgetChanges() {
    changesBefore += changed.count
    changed = []
  }
}
