package import Foundation

/// The last exchanges of a deck, in the order of their decisions.
package struct ExchangeRecords: Sendable {
  /// The maximum number of exchanges that are kept; the oldest are dropped first.
  package static let entriesMax = 10_000
  /// The maximum number of bytes of content that are kept of all requests together.
  ///
  /// The oldest content is dropped first, and its request stays. Content that is larger than the
  /// maximum is not kept.
  package static let bodyBytesMax = 16 << 20
  /// The maximum number of bytes of heads that are kept of all requests together.
  ///
  /// Beyond it the oldest exchanges are dropped, but the last is kept regardless of its size.
  package static let headBytesMax = 32 << 20
  /// The maximum number of patterns whose last search is remembered.
  private static let patternsMax = 100

  private var ring = Ring<ExchangeRecord>(entriesMax)
  private var (headBytes, bodyBytes) = (0, 0)
  /// The highest number of a decision whose content was dropped; earlier exchanges have none,
  /// either.
  private var bodilessThrough = 0
  /// The number of exchanges that are no longer kept, and the highest number of a decision among
  /// them.
  package private(set) var (dropped, droppedThrough) = (0, 0)
  /// The time of the first request.
  package private(set) var first: Date?
  /// The number of a decision for each pattern, up to which all matching exchanges have been
  /// returned.
  private(set) var searchedThrough: [RequestPattern: Int] = [:]
  /// The number of times that the recording at each index was played whole.
  private var playCounts: [Int] = []
  /// The number of requests by ``Journal/Take/kind``, since the start.
  private var takes = Journal.Take.requestNames.map { _ in 0 }
  /// The faults that happened in exchanges that are no longer kept.
  private var pastFaults: [String: Int] = [:]

  /// Creates a list without exchanges.
  package init() {}

  /// The exchanges that are kept.
  package var entries: [ExchangeRecord] { ring.all }

  /// The exchange of a decision; `nil` if it is not kept.
  subscript(id: Int) -> ExchangeRecord? {
    let offset = ring.count(through: id) - 1
    return offset >= 0 && ring[offset].id == id ? ring[offset] : nil
  }

  /// Returns the exchanges of the decisions after a number.
  package func entries(after id: Int) -> [ExchangeRecord] {
    (ring.count(through: id)..<ring.count).map { ring[$0] }
  }

  /// Returns the number of times that the recording at an index was played whole.
  package func plays(of place: Int) -> Int { place < playCounts.count ? playCounts[place] : 0 }

  /// The number of requests since the start, by the name of the source of the response.
  package var takeCounts: [String: Int] {
    Dictionary(uniqueKeysWithValues: zip(Journal.Take.requestNames, takes)).filter { $0.value > 0 }
  }

  /// The number of faults since the start that happened, by name.
  package var faultCounts: [String: Int] {
    var counts = pastFaults
    for fault in entries.flatMap(\.faults) { counts[fault.name, default: 0] += 1 }
    return counts
  }

  /// Keeps one more exchange, decided after all others.
  mutating func append(_ record: consuming ExchangeRecord) {
    takes[record.take.kind] += 1
    if case .recording(let place) = record.take {
      while playCounts.count <= place { playCounts.append(0) }
      playCounts[place] += 1
    }
    if first == nil { first = record.moment }
    if ring.isFull { removeFirst(isReplaced: true) }
    (headBytes, bodyBytes) = (headBytes + record.headBytes, bodyBytes + record.bodyBytes)
    ring.append(record)
    while headBytes > Self.headBytesMax, ring.count > 1 { removeFirst(isReplaced: false) }
    // The content of one record is always within the maximum.
    while bodyBytes > Self.bodyBytesMax { forgetOldestBody() }
  }

  private mutating func forgetOldestBody() {
    var offset = ring.count(through: bodilessThrough)
    while ring[offset].bodyBytes == 0 { offset += 1 }
    bodyBytes -= ring[offset].bodyBytes
    bodilessThrough = ring[offset].id
    ring[offset].forgetBody()
  }

  /// - Parameter isReplaced: Whether the next exchange uses the index at once.
  private mutating func removeFirst(isReplaced: Bool) {
    if !ring[0].decided.isEmpty {
      for fault in ring[0].faults { pastFaults[fault.name, default: 0] += 1 }
    }
    (dropped, droppedThrough) = (dropped + 1, ring[0].id)
    headBytes -= ring[0].headBytes
    bodyBytes -= ring[0].bodyBytes
    if !isReplaced { ring[0].forgetContents() }
    ring.dropFirst()
  }

  /// Adds faults that did not happen, perhaps of an exchange that is no longer kept.
  mutating func note(_ undone: [UndoneFault], of id: Int) {
    if self[id] != nil { return change(id) { $0.undone += undone } }
    for name in undone.map(\.fault.name) { pastFaults[name, default: 1] -= 1 }
    pastFaults = pastFaults.filter { $0.value > 0 }
  }

  /// Changes an exchange, if it is kept.
  mutating func change(_ id: Int, _ change: (inout ExchangeRecord) -> Void) {
    ring.change(id, change)
  }

  /// Returns the first request that matches a pattern and was not returned before.
  mutating func next(_ pattern: RequestPattern) -> ExchangeRecord? {
    guard ring.count > 0 else { return nil }
    let through = searchedThrough[pattern]
    let offset = (ring.count(through: through ?? 0)..<ring.count).first { offset in
      !ring[offset].isReturned && pattern.matches(ring[offset].request)
    }
    if through == nil, searchedThrough.count == Self.patternsMax { searchedThrough = [:] }
    searchedThrough[pattern] = ring[offset ?? ring.count - 1].id
    return offset.map { offset in
      ring[offset].isReturned = true
      return ring[offset]
    }
  }

  /// Drops the exchanges and the plays. The counts since the start stay.
  mutating func reset() {
    let counts = (takes, faultCounts)
    self = ExchangeRecords()
    (takes, pastFaults) = counts
  }

  /// Counts plays from zero, for another cassette.
  mutating func beginCassette() { playCounts = [] }
}

extension Fault {
  /// The key of the fault in a scenario's file, such as `status`.
  package var name: String {
    guard case .object(let members) = json else { return "" }
    return members.first?.name.value ?? ""
  }
}
