internal import Foundation

/// The file of calls that servers refused. It is a file of calls (``CallRecords``), each of whose
/// bodies is:
///
///     status (2)  length of the template (2)  template  body of the call
struct DeadLetterFile {
  private static let readBytes = 1 << 30

  private let url: URL
  private let disk: OutboxDisk
  private var records = CallRecords()
  private var file: DurableFile?
  private var goodBytes = 0

  /// Opens the file, which is made with the first letter.
  init(_ url: URL, _ disk: OutboxDisk, _ events: inout [OutboxEvent]) throws(OutboxError) {
    (self.url, self.disk) = (url, disk)
    guard let data = try disk.contents(of: url, upTo: Self.readBytes) else { return }
    guard let records = CallRecords(head: data) else {
      if data.count < CallRecords.headBytes { return }
      try disk.setAside(url)
      events.append(.damaged(template: url.lastPathComponent, calls: 0))
      return
    }
    self.records = records
    goodBytes = records.find(in: data).goodBytes
  }

  /// Adds calls for good. The older half falls out where there are too many bytes, which is counted
  /// also where adding fails then.
  mutating func add(
    _ calls: [StoredCall],
    of template: String,
    _ status: Int,
    upTo most: Int,
    _ fallen: inout Int
  ) throws(OutboxError) {
    if calls.isEmpty { return }
    let new = calls.map { call in
      var call = call
      var head = Data()
      CallRecords.add(UInt16(clamping: status), to: &head)
      CallRecords.add(UInt16(clamping: template.utf8.count), to: &head)
      call.body = head + Data(template.utf8) + call.body
      return call
    }
    var data = new.reduce(into: Data()) { $0 += records.record($1) }
    if goodBytes > CallRecords.headBytes, goodBytes + data.count > most {
      let all = try stored()
      // The newer ones that fit into half of the room.
      var (kept, size): ([StoredCall], Int) = ([], 0)
      for call in all.reversed() {
        size += records.record(call).count
        if size > most / 2 { break }
        kept.append(call)
      }
      let rest = kept.reversed().reduce(into: records.head) { $0 += records.record($1) }
      // What is open is not the file any more, also where putting fails at the folder.
      file = nil
      try disk.put(rest, at: url)
      (goodBytes, fallen) = (rest.count, all.count - kept.count)
    }
    if goodBytes < CallRecords.headBytes { (data, goodBytes) = (records.head + data, 0) }
    let open: DurableFile
    if let file {
      open = file
    } else {
      open = try DurableFile(appendingTo: url, keeping: goodBytes, by: disk.calls)
      file = open
    }
    do throws(OutboxError) { try open.append(data) } catch {
      if open.isSpoilt { file = nil }
      throw error
    }
    goodBytes = open.count
    try disk.syncFolder(url.deletingLastPathComponent())
  }

  /// Reads all letters. One that was written twice, since a kill came before its batch had left, is
  /// one.
  func all() throws(OutboxError) -> [DeadLetter] {
    var seen: Set<String> = []
    return try stored().compactMap { call in
      let body = call.body
      guard body.count >= 4 else { return nil }
      let end = 4 + Int(CallRecords.number(body, 2, 2))
      guard end <= body.count else { return nil }
      let letter = DeadLetter(
        template: String(decoding: body[4..<end], as: UTF8.self),
        status: Int(CallRecords.number(body, 0, 2)),
        number: call.number,
        key: call.key,
        body: Data(body[end...])
      )
      return seen.insert("\(letter.number) \(letter.template)").inserted ? letter : nil
    }
  }

  /// Removes all letters from the file.
  mutating func removeAll() throws(OutboxError) {
    guard goodBytes > 0 else { return }
    // What is open is not the file any more, also where putting fails at the folder.
    file = nil
    try disk.put(records.head, at: url)
    goodBytes = CallRecords.headBytes
  }

  private func stored() throws(OutboxError) -> [StoredCall] {
    let data = try disk.contents(of: url, upTo: Self.readBytes) ?? Data()
    return records.find(in: data).places.compactMap { place in
      records.call(Data(data[place.offset..<place.offset + place.count]))
    }
  }
}
