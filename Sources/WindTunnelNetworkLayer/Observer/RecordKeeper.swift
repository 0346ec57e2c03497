/// The records of the calls under way: each is given up with its last event.
struct RecordKeeper {
  private var records: [Int: CallRecord] = [:]

  /// Hears an event and tells how the record of its call is then.
  mutating func hear(_ event: CallEvent) -> CallRecord? {
    if let record = CallRecord(event) {
      records[event.call] = record
      return record
    }
    records[event.call]?.hear(event)
    guard let record = records[event.call] else { return nil }
    if record.isOver { records[event.call] = nil }
    return record
  }
}
