/// The part of a HAR around its exchanges, as the note of a cassette keeps it: members of the log
/// as they are and, under names that are ours,
///
/// - `_root`: the members that stand beside the log,
/// - `_entries`: entries that tell of no exchange by HTTP, whole, each with the number of
///   interactions it stands behind. Nobody plays them.
struct HARLogOverlay {
  /// An entry that became no interaction.
  struct Aside {
    var after: Int
    var entry: JSON
  }

  private(set) var log: [JSON.Member] = []
  private(set) var root: [JSON.Member] = []
  var asides: [Aside] = []

  private static let rootKey: JSON.Text = "_root"
  private static let entriesKey: JSON.Text = "_entries"

  init() {}

  /// Takes what a file says that is not said of the log which is written here.
  init(of file: JSON, _ log: JSON, noted notes: [JSON.Member]) {
    let names = Set(notes.map(\.name.value)).union(["entries", HARAddition.key])
    let rest = HARPages.dated(HAROverlay.removing(names, from: log), by: log["entries"])
    self.log = HAROverlay.difference(rest, from: ["version": "1.2"], as: "log")?.members ?? []
    root = HAROverlay.removing(["log"], from: file).members
  }

  /// Reads the note of a cassette.
  init(_ note: JSON) {
    let ours: Set<String> = [Self.rootKey.value, Self.entriesKey.value]
    log = HAROverlay.removing(ours, from: note).members
    root = note[Self.rootKey.value].map { HAROverlay.removing(["log"], from: $0).members } ?? []
    let elements = note[Self.entriesKey.value]?.elements ?? []
    asides = elements.compactMap { element in
      guard let entry = element["entry"], case .object = entry else { return nil }
      return Aside(after: element["after"]?.intValue ?? .max, entry: entry)
    }
  }

  /// The note; none where there is nothing to say.
  var notes: [JSON.Member] {
    var members = log
    if !root.isEmpty { members.append(JSON.Member(Self.rootKey, .object(root))) }
    if !asides.isEmpty {
      let list = asides.map {
        JSON.object([JSON.Member("after", .number($0.after)), JSON.Member("entry", $0.entry)])
      }
      members.append(JSON.Member(Self.entriesKey, .array(list)))
    }
    return members.isEmpty ? [] : [JSON.Member(HAROverlay.key, .object(members))]
  }
}

/// The pages of a log, of which some exporters do not say when they began.
private enum HARPages {
  /// Returns the log with pages that begin with the first of their entries, or with the first of
  /// all, where they have no date; what stands in the place of one is kept.
  static func dated(_ log: JSON, by entries: JSON?) -> JSON {
    guard case .object(var members) = log,
      let index = members.firstIndex(where: { $0.name.value == "pages" }),
      case .array(let pages) = members[index].value
    else { return log }
    let dates = (entries?.elements ?? []).compactMap { entry in
      entry["startedDateTime"].flatMap { DateText.sinceEpoch($0) }
        .map { (page: entry["pageref"]?.spelled, date: $0) }
    }
    members[index].value = .array(
      pages.map { page in
        let start = page["startedDateTime"] ?? .null
        guard case .object(let members) = page, !members.isEmpty,
          HARSanitizer.value(start, of: "startedDateTime") == nil
        else { return page }
        let id = page["id"]?.spelled
        let own = dates.filter { id != nil && $0.page == id }
        let first = (own.isEmpty ? dates : own).map(\.date).min() ?? .zero
        var dated = members.filter { $0.name.value != "startedDateTime" }
        dated.append(JSON.Member("startedDateTime", .text(DateText.text(first))))
        if start != .null, page["_startedDateTime"] == nil { dated.add("_startedDateTime", start) }
        return .object(dated)
      }
    )
    return .object(members)
  }
}
