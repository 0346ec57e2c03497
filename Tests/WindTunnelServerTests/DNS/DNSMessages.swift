/// Messages of name servers as bytes, written and read without the code under test.
enum DNSMessages {
  /// A question for a name, by id 0xBEEF, with recursion desired.
  static func query(_ name: String, _ type: UInt16 = 1, extra: [UInt8] = []) -> [UInt8] {
    var bytes: [UInt8] = [0xBE, 0xEF, 1, 0, 0, 1, 0, 0, 0, 0, 0, extra.isEmpty ? 0 : 1]
    for label in name.split(separator: ".") {
      bytes.append(UInt8(label.utf8.count))
      bytes += label.utf8
    }
    return bytes + [0, UInt8(type >> 8), UInt8(type & 0xFF), 0, 1] + extra
  }

  /// The data of an answer's records, where it is a good one to that question.
  static func records(_ answer: [UInt8], to query: [UInt8]) -> [[UInt8]]? {
    let question = query[12...]
    guard answer.count >= query.count, answer[12..<query.count] == question else { return nil }
    var place = query.count
    var records: [[UInt8]] = []
    for _ in 0..<(Int(answer[6]) << 8 | Int(answer[7])) {
      // A pointer to the question's name, type, class, seconds, and the length of the data.
      guard place + 12 <= answer.count, answer[place..<place + 2] == [0xC0, 0x0C] else {
        return nil
      }
      let count = Int(answer[place + 10]) << 8 | Int(answer[place + 11])
      guard place + 12 + count <= answer.count else { return nil }
      records.append(Array(answer[place + 12..<place + 12 + count]))
      place += 12 + count
    }
    return place == answer.count ? records : nil
  }
}
