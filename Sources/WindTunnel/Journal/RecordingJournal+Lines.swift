internal import Foundation

extension RecordingJournal {
  /// A line that is written.
  struct Line {
    let place: Range<Int>
    let interaction: Interaction
    let order: Int
    private var filter: NGramFilter?

    init(_ place: Range<Int>, _ interaction: Interaction, order: Int) {
      (self.place, self.interaction, self.order) = (place, interaction, order)
    }

    /// Whether one of the words may be here. Most lines are never asked, so what answers is made when
    /// it is wanted.
    mutating func mayContain(anyOf words: [String]) -> Bool {
      let filter = filter ?? NGramFilter(interaction)
      self.filter = filter
      return words.contains(where: filter.mayContain)
    }
  }
}

extension RecordingJournal {
  /// An interaction that does not stand in the journal, and why.
  struct Loss {
    let interaction: Interaction
    let error: any Error

    /// A line about it, without secrets.
    var line: String { "\(interaction.request.method) \(interaction.request.url): \(error)" }
  }
}

extension RecordingJournal.State {
  /// Writes an interaction down; answers what does not stand in the journal for that.
  mutating func append(_ interaction: Interaction, order: Int) -> [RecordingJournal.Loss] {
    let kept = redaction.redact([interaction])
    return write(kept, order: order)
  }

  /// Writes what was looked through down, behind the overwriting of what repeats a secret of it;
  /// answers what does not stand in the journal for that.
  mutating func write(_ kept: [Interaction], order: Int) -> [RecordingJournal.Loss] {
    let new = redaction.takeLearned()
    learned += new
    unreplaced += new
    var losses: [RecordingJournal.Loss] = []
    do {
      try replaceEchoes(losing: &losses)
      for interaction in kept {
        do { try write(interaction, order: order) } catch {
          losses.append(.init(interaction, error))
        }
      }
    } catch {
      // Nothing is written while a secret stands there that could not be overwritten.
      losses += kept.map { .init($0, error) }
    }
    if let first = losses.first { problem = problem ?? first.error }
    return losses
  }

  private mutating func write(_ interaction: Interaction, order: Int) throws {
    try begin()
    let (aside, new) = try keepAside(interaction.bodies.map(\.data))
    do {
      let bytes = try JournalFormat.line(interaction, order: order) { data in
        aside.first { $0.data == data }?.name
      }
      guard let place = try page?.append(bytes) else { return }
      lines.append(RecordingJournal.Line(place, interaction, order: order))
    } catch {
      remove(new)
      throw error
    }
  }

  /// Writes the first line of a recording, and keeps room for its end where there is any.
  private mutating func begin() throws {
    guard !isBegun else { return }
    let header = JournalFormat.header(rewrites: rewrites)
    do {
      guard keepsReserve else { throw FileError.refused(journal, ENOSPC) }
      let place = try page?.append(header + JournalFormat.reserve)
      reserve = place.map { $0.lowerBound + header.count..<$0.upperBound }
    } catch {
      _ = try page?.append(header)
    }
    isBegun = true
  }

  /// Keeps bodies that are too large for a line, and answers their names, and those of the files that
  /// were not there before.
  private mutating func keepAside(
    _ bodies: [Data]
  ) throws -> (all: [(data: Data, name: String)], new: [String]) {
    var aside: [(data: Data, name: String)] = []
    var new: [String] = []
    for data in bodies where data.count > lineBytesMax {
      do {
        guard let (name, isNew) = try sideFiles.kept(data) else { continue }
        if isNew {
          ownSideFiles.insert(name)
          new.append(name)
        }
        aside.append((data, name))
      } catch {
        remove(new)
        throw error
      }
    }
    return (aside, new)
  }

  private mutating func remove(_ names: [String]) {
    for name in names where ownSideFiles.remove(name) != nil { sideFiles.remove(name) }
  }

  /// Overwrites what repeats a secret that was not known when it was written, and writes it anew
  /// without, if it can be written so.
  private mutating func replaceEchoes(losing losses: inout [RecordingJournal.Loss]) throws {
    if unreplaced.isEmpty { return }
    for index in lines.indices.reversed() where lines[index].mayContain(anyOf: unreplaced) {
      let line = lines[index]
      let kept = redaction.redact([line.interaction])
      if kept == [line.interaction] { continue }
      try page?.blank(line.place)
      lines.remove(at: index)
      // What is too large for a line is as little to stay as the line, unless another names it, too.
      let staying = (lines.map(\.interaction) + kept).flatMap(\.bodies)
      remove(
        line.interaction.bodies
          .filter { body in
            body.count > lineBytesMax && !staying.contains { $0.data == body.data }
          }
          .map { SHA256.hexadecimal($0.data) }
      )
      for interaction in kept {
        do { try write(interaction, order: line.order) } catch {
          losses.append(.init(interaction, error))
        }
      }
    }
    unreplaced = []
  }
}

extension RecordingJournal.Loss {
  fileprivate init(_ interaction: Interaction, _ error: any Error) {
    self.init(interaction: interaction, error: error)
  }
}

extension Interaction {
  fileprivate var bodies: [Body] { [request.body] + [response?.body].compactMap(\.self) }

  /// The size of its bodies.
  var bodyBytes: Int { bodies.reduce(0) { $0 + $1.count } }
}
