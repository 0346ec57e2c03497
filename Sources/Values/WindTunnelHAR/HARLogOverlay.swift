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
    let list: [JSON] = asides.map { ["after": .number($0.after), "entry": $0.entry] }
    var members = log
    members.add(Self.rootKey, root.isEmpty ? .none : .some(.object(root)))
    members.add(Self.entriesKey, list.isEmpty ? .none : .some(.array(list)))
    return members.isEmpty ? [] : [JSON.Member(HAROverlay.key, .object(members))]
  }
}

/// The pages of a log, of which some exporters do not say when they began.
private enum HARPages {
  /// Returns the log with pages that begin with the first of their entries, or with the first of
  /// all, where they have no date; what stands in the place of one is kept.
  static func dated(_ log: JSON, by entries: JSON?) -> JSON {
    guard case .array(let pages)? = log["pages"] else { return log }
    let dates = (entries?.elements ?? []).compactMap { entry in
      entry["startedDateTime"].flatMap { DateText.sinceEpoch($0) }
        .map { (page: entry["pageref"]?.spelled, date: $0) }
    }
    var dated = log
    dated["pages"] = .array(
      pages.map { page in
        let start = page["startedDateTime"] ?? .null
        if page.members.isEmpty || HARSanitizer.value(start, of: "startedDateTime") != nil {
          return page
        }
        let id = page["id"]?.spelled
        let own = dates.filter { id != nil && $0.page == id }
        let first = (own.isEmpty ? dates : own).map(\.date).min() ?? .zero
        let isLost = start != .null && page["_startedDateTime"] == nil
        return HAROverlay.removing(["startedDateTime"], from: page).adding(
          JSON.members([
            "startedDateTime": .text(DateText.text(first)),
            "_startedDateTime": isLost ? .some(start) : .none,
          ])
        )
      }
    )
    return dated
  }
}
