internal import Foundation
internal import WindTunnel

/// The sentences that a test is told of its cassette.
extension CassettePlace {
  /// Returns the reason why nothing answered, with the fix at a desk.
  func told(_ mismatch: Mismatch) -> String {
    guard mode == .once else { return "\(mismatch)" }
    return "\(mismatch)\nTo record what is missing beside the rest: "
      + "WINDTUNNEL_RECORD=new-episodes swift test"
  }

  /// Returns the words for a failure of a test that records: where there is no cassette, its name
  /// may be misspelt, and then the network was asked unawares.
  func thrownAway(_ deck: Deck) -> String {
    if exists {
      return "Since this test has failed, nothing that it recorded is written to \(file.path)."
    }
    let end =
      deck.hasRecorded
      ? "so this test asked the network to record it, and failed; nothing is written."
      : "and since this test has failed, none is recorded."
    return "There is no cassette \(file.path), \(end)\(suggestion)"
  }

  /// The question, behind a space, whether the cassette that lies beside and is called almost like
  /// this one was meant; empty where there is none.
  var suggestion: String {
    let folder = file.deletingLastPathComponent().path
    // A folder that cannot be read has nothing to suggest.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let ending = ".json"
    let stems = names.sorted().filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }
      .map { String($0.dropLast(ending.count)) }
    let name = String(file.lastPathComponent.dropLast(ending.count))
    // Of shorter ones any is near to any other.
    guard name.count > 2, let near = nearest(to: name, in: stems) else { return "" }
    return " Beside it there is \(near)\(ending): did you mean \"\(folders)\(near)\"?"
  }
}
