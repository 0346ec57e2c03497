package import WindTunnel

/// An item of a console: a row with a detail view.
package protocol ConsoleSubject: Sendable {
  /// The number of the row.
  var id: Int { get }
  /// The approximate memory of the item, without its row, in bytes.
  var cost: Int { get }
  /// The current row, which is only created for readers.
  var row: ConsoleRow { get }
  /// Returns the displayed details, as members of a JSON object in addition to `"row"`.
  ///
  /// - Parameter scenario: The scenario of its segment; `nil` if it is not kept.
  /// - Returns: The members.
  func detail(in scenario: Scenario?) -> [JSON.Member]
  /// The received request; `nil` if the item is not a request.
  var request: Request? { get }
  /// The interaction for a cassette; `nil` if it cannot be stored.
  var interaction: Interaction? { get }
  /// The reason why the request cannot be repeated, as a sentence; `nil` if it can.
  var reasonAgainstRepeat: String? { get }
}

extension ConsoleSubject {
  /// By default, a complete request can be repeated.
  package var reasonAgainstRepeat: String? { nil }
}

/// The latest items of a console and their changes. It is a value of limited size.
package struct ConsoleFeed<Subject: ConsoleSubject>: Sendable {
  /// The maximum number of items; the oldest are removed, a tenth at a time.
  package static var subjectsMax: Int { 10_000 }
  /// The approximate maximum memory of the items in bytes.
  package static var bytesMax: Int { 64 << 20 }
  /// The maximum numbers of segments and of findings.
  package static var remarksMax: Int { 1000 }
  /// The maximum number of changes that a reader may lag behind. A slower reader only receives
  /// their number.
  private static var changesMax: Int { 20_000 }

  /// The kept items, with consecutive numbers.
  package private(set) var subjects: [Subject] = []
  /// The number of removed items.
  package private(set) var dropped = 0
  package private(set) var segments: [ConsoleSegment] = []
  package private(set) var findings: [JSON] = []
  package var counters = ConsoleCounters()
  /// Whether changes are recorded, because there are readers.
  package var isWatched = false {
    didSet { if !isWatched { forgetChanges() } }
  }
  private var bytes = 0
  /// The numbers of the changed rows, in order; the first is change `changesBefore`.
  private var changed: [Int] = []
  private var changesBefore = 0

  /// Creates an empty feed.
  package init() {}

  /// The number of the next row.
  package var nextID: Int { (subjects.last?.id ?? dropped) + 1 }
  /// The number of changes so far, which is a reader's position.
  package var changeCount: Int { changesBefore + changed.count }

  /// Adds an item, whose number must be ``nextID``.
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

  /// Changes an item if it is still kept.
  package mutating func update(_ id: Int, _ change: (inout Subject) -> Void) {
    guard let index = index(of: id) else { return }
    bytes -= subjects[index].cost
    change(&subjects[index])
    bytes += subjects[index].cost
    note(id)
    trim()
  }

  /// Returns an item by its number; `nil` if it is not kept.
  package subscript(id: Int) -> Subject? { index(of: id).map { subjects[$0] } }

  private func index(of id: Int) -> Int? {
    // The number is external input, so it may be out of range.
    guard let first = subjects.first?.id, let last = subjects.last?.id, id >= first, id <= last
    else { return nil }
    return id - first
  }

  /// Adds a segment, unless there are too many.
  package mutating func begin(_ scenario: Scenario, seed: UInt64, at moment: Duration) {
    guard segments.count < Self.remarksMax else { return }
    let number = segments.count + 1
    segments.append(ConsoleSegment(number: number, scenario: scenario, seed: seed, at: moment))
  }

  /// Adds a finding, unless there are too many.
  package mutating func add(_ finding: JSON) {
    if findings.count < Self.remarksMax { findings.append(finding) }
  }

  /// Returns the items that changed after a position.
  ///
  /// - Parameters:
  ///   - count: The number of changes that a reader has seen.
  ///   - most: The maximum number of returned items; the latest are preferred.
  /// - Returns: The items in the order of their numbers, and the number of other changes.
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

  /// Returns up to `most` items after a number.
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
