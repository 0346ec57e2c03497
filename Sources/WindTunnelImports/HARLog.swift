internal import Foundation

/// The outermost layers of a HAR, down to the list of its entries.
struct HARLog {
  let entries: [JSON]
  let notes: [JSON.Member]
  /// Whether it was written here; then it says itself what it cannot say.
  let isOurs: Bool
  /// What is said around the entries and stands in no note; `nil` where a note of that name is taken
  /// or was written here.
  let overlay: HARLogOverlay?
  /// Whether its notes bring entries with them that became no interactions.
  var keepsAsides: Bool {
    HAROverlay.of(notes).map { !HARLogOverlay($0).asides.isEmpty } ?? false
  }
  private(set) var warnings: [String] = []

  init(_ data: Data, source: String) throws(FormatError) {
    func refusal(_ problem: String, remedy: String? = nil) -> FormatError {
      FormatError(source: source, place: "", problem: "not a HAR: \(problem)", remedy: remedy)
    }
    guard data.count <= Cassette.fileBytesMax else {
      let problem = "it has \(data.count) bytes; at most \(Cassette.fileBytesMax) are read"
      throw FormatError(source: source, place: "", problem: problem)
    }
    guard !data.isEmpty else { throw refusal("there is nothing in it") }
    if let wrapping = HARWrapping(of: data) {
      throw refusal("it is \(wrapping.words)", remedy: wrapping.remedy)
    }
    let json = try JSON(parsing: data, source: source).withoutRepeats
    guard case .object(let members) = json else {
      throw refusal("\(json.noun) stands where { \"log\": … } should")
    }
    guard let log = json["log"] else {
      let names = members.prefix(3).map { "\"\($0.name.value.prefix(40))\"" }
      let more = members.count > names.count ? ", …" : ""
      let found = names.isEmpty ? "nothing" : names.joined(separator: ", ") + more
      let isCassette = json["windtunnel"] != nil
      throw refusal(
        "the key \"log\" is missing, there is \(found)",
        remedy: isCassette ? "This is a cassette already." : nil
      )
    }
    guard case .object = log else { throw refusal("\"log\" is \(log.noun), not an object") }
    guard let list = log["entries"] else {
      throw refusal("\"log\" has no \"entries\"")
    }
    guard case .array(let entries) = list else {
      throw refusal("\"log.entries\" is \(list.noun), not a list")
    }
    self.entries = entries
    notes = try HARAddition.notes(ofLog: log, source: source)
    isOurs = log.present(HARAddition.key) != nil
    let isNoted = notes.contains { $0.name.value == HAROverlay.key.value }
    overlay = isOurs || isNoted ? nil : HARLogOverlay(of: json, log, noted: notes)
    if let version = log["version"]?.spelled, !version.isEmpty, !version.hasPrefix("1.") {
      warnings.append("log: this is HAR version \(version.prefix(20)); it is read as 1.2.")
    }
  }
}
