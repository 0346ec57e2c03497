internal import Foundation

extension RecordingJournal {
  /// A line that is written.
  struct Line {
    let place: Range<Int>
    let interaction: Interaction
    let order: Int
    private var filter: GramFilter?

    init(_ place: Range<Int>, _ interaction: Interaction, order: Int) {
      (self.place, self.interaction, self.order) = (place, interaction, order)
    }

    /// Whether one of the words may be here. Most lines are never asked, so what answers is made when
    /// it is wanted.
    mutating func mayContain(anyOf words: [String]) -> Bool {
      let filter = filter ?? GramFilter(interaction)
      self.filter = filter
      return words.contains(where: filter.mayContain)
    }
  }
}

extension RecordingJournal.State {
  mutating func append(_ interaction: Interaction, order: Int) throws {
    let kept = redaction.redact([interaction])
    try replaceEchoes()
    for interaction in kept { try write(interaction, order: order) }
  }

  mutating func write(_ interaction: Interaction, order: Int) throws {
    if !isBegun {
      _ = try page?.append(JournalFormat.header(rewrites: rewrites))
      isBegun = true
    }
    let aside = try keepAside(interaction.bodies.map(\.data))
    let bytes = try JournalFormat.line(interaction, order: order) { data in
      aside.first { $0.data == data }?.name
    }
    guard let place = try page?.append(bytes) else { return }
    lines.append(RecordingJournal.Line(place, interaction, order: order))
  }

  /// Keeps bodies that are too large for a line, and answers their names.
  private mutating func keepAside(_ bodies: [Data]) throws -> [(data: Data, name: String)] {
    var aside: [(data: Data, name: String)] = []
    for data in bodies where data.count > lineBytesMax {
      guard let (name, isNew) = try sideFiles.kept(data) else { continue }
      if isNew { ownSideFiles.insert(name) }
      aside.append((data, name))
    }
    return aside
  }

  /// Overwrites what repeats a secret that was not known when it was written, and writes it anew
  /// without, if it can be written so.
  mutating func replaceEchoes() throws {
    let learned = redaction.takeLearned()
    if learned.isEmpty { return }
    self.learned += learned
    for index in lines.indices.reversed() where lines[index].mayContain(anyOf: learned) {
      let line = lines[index]
      let kept = redaction.redact([line.interaction])
      if kept == [line.interaction] { continue }
      try page?.blank(line.place)
      // What is too large for a line is as little to stay as the line.
      for body in line.interaction.bodies where body.count > lineBytesMax {
        let name = SHA256.hexadecimal(body.data)
        if ownSideFiles.remove(name) != nil { sideFiles.remove(name) }
      }
      lines.remove(at: index)
      for interaction in kept { try write(interaction, order: line.order) }
    }
  }
}

extension Interaction {
  fileprivate var bodies: [Body] { [request.body] + [response?.body].compactMap(\.self) }

  /// How large its bodies are.
  var bodyBytes: Int { bodies.reduce(0) { $0 + $1.count } }
}
