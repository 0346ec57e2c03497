internal import Foundation
internal import WindTunnelNetworkLayer

/// The file of calls that servers refused. Its format is ``CallRecords``, with this body per call:
///
///     status (2)  length of the template (2)  template  body of the call
struct DeadLetterFile {
  private static let readBytes = 1 << 30

  private var file: CallFile

  /// Opens the file, which is created with the first dead letter.
  init(_ url: URL, _ disk: OutboxDisk, _ events: inout [OutboxEvent]) throws(OutboxError) {
    file = CallFile(url, disk)
    guard let data = try disk.contents(of: url, upTo: Self.readBytes) else { return }
    if let records = CallRecords(head: data) {
      file = CallFile(url, disk, records, count: records.find(in: data).goodBytes)
    } else if data.count >= CallRecords.headBytes {
      try disk.setAside(url)
      events.append(.damaged(template: url.lastPathComponent, calls: 0))
    }
  }

  /// Appends calls durably. If the file becomes too large, older calls are dropped.
  ///
  /// `fallen` has the number of dropped calls, even if appending fails afterwards.
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
      head.append(bigEndian: UInt16(clamping: status))
      head.append(bigEndian: UInt16(clamping: template.utf8.count))
      call.body = head + Data(template.utf8) + call.body
      return call
    }
    let bytes = new.reduce(0) { $0 + $1.bytes }
    if file.count > CallRecords.headBytes, file.count + bytes > most {
      let all = try file.all(upTo: Self.readBytes)
      // Keeps the newest calls that fit into half of the maximum size.
      var (kept, size) = (0, 0)
      for call in all.reversed() {
        size += call.bytes
        if size > most / 2 { break }
        kept += 1
      }
      try file.replace(with: all.suffix(kept))
      fallen = all.count - kept
    }
    _ = try file.append(new)
  }

  /// Reads all dead letters.
  ///
  /// A letter is written twice if the process was killed before its batch was removed. It is
  /// returned once.
  func all() throws(OutboxError) -> [DeadLetter] {
    var seen: Set<String> = []
    return try file.all(upTo: Self.readBytes).compactMap { call in
      let body = call.body
      guard body.count >= 4 else { return nil }
      let end = 4 + Int(body.bigEndian(at: 2, bytes: 2))
      guard end <= body.count else { return nil }
      let letter = DeadLetter(
        template: String(decoding: body[4..<end], as: UTF8.self),
        status: Int(body.bigEndian(at: 0, bytes: 2)),
        number: call.number,
        key: call.key,
        body: Data(body[end...])
      )
      return seen.insert("\(letter.number) \(letter.template)").inserted ? letter : nil
    }
  }

  /// Removes all dead letters from the file.
  mutating func removeAll() throws(OutboxError) {
    if file.count > 0 { try file.replace(with: []) }
  }
}
