internal import Foundation
internal import WindTunnel

/// One row of a table in `Data`.
///
/// A table is a cassette with one interaction a line. An interaction with notes begins a row; the
/// interactions without notes that follow it belong to the same row. The notes are:
///
/// - `_kind` and `_title`, which describe the row.
/// - `_secret`, the pattern of the row's secret (``SecretPattern``), and `_seed`, by which it is
///   drawn. The marks in the interactions are then replaced.
/// - `_secrets`, the secrets of a row with an encoding. Its bodies are stored as they were recorded.
/// - `_stays`, the texts of a harmless row that matter.
/// - `_where`, the part that holds them: `header`, `url`, `body` or `conversation`.
struct TableRow {
  var notes: [String: JSON]
  var interactions: [Interaction]

  /// Reads a table. The program ends if it cannot be read, because its tests would check nothing.
  static func all(_ name: String) -> [TableRow] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    do {
      let cassette = try Cassette(contentsOf: folder.appending(path: "Data/\(name).json"))
      return cassette.interactions.reduce(into: []) { rows, interaction in
        var bare = interaction
        bare.notes = []
        if interaction.notes.isEmpty, let last = rows.indices.last {
          rows[last].interactions.append(bare)
        } else {
          let notes = interaction.notes.map { ($0.name.value, $0.value) }
          rows.append(
            TableRow(notes: Dictionary(uniqueKeysWithValues: notes), interactions: [bare])
          )
        }
      }
    } catch {
      fatalError("\(error)")
    }
  }

  /// The text of a note; empty if the note is missing.
  func text(_ note: String) -> String { notes[note]?.stringValue ?? "" }

  /// The list of texts of a note; empty if the note is missing.
  func texts(_ note: String) -> [String] {
    guard case .array(let values) = notes[note] else { return [] }
    return values.compactMap(\.stringValue)
  }
}
