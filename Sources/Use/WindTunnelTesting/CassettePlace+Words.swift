internal import Foundation
internal import WindTunnel

/// The sentences about a test's cassette.
extension CassettePlace {
  /// Returns the explanation of a request without a recording, with the fix for a developer's
  /// machine.
  func explanation(of mismatch: Mismatch) -> String {
    guard mode == .once else { return "\(mismatch)" }
    return "\(mismatch)\nTo record the missing requests, too: "
      + "WINDTUNNEL_RECORD=new-episodes swift test"
  }

  /// Returns the message for a failed test that was recording.
  ///
  /// If there is no cassette, its name may be misspelt and the network was used unintentionally.
  func thrownAway(_ deck: Deck) -> String {
    if exists {
      return "This test failed, so its recordings are not written to \(file.path)."
    }
    let end =
      deck.hasRecorded
      ? "so this test recorded from the network. It failed, so nothing is written."
      : "and none is recorded because this test failed."
    return "The cassette \(file.path) does not exist, \(end)\(suggestion)"
  }

  /// The question whether a cassette with a similar name was meant, after a space; empty if there
  /// is none.
  var suggestion: String {
    let folder = file.deletingLastPathComponent().path
    // A folder that cannot be read contains no suggestion.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let ending = ".json"
    let stems = names.sorted().filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }
      .map { String($0.dropLast(ending.count)) }
    let name = String(file.lastPathComponent.dropLast(ending.count))
    // Any short name is similar to any other.
    guard name.count > 2, let near = nearest(to: name, in: stems) else { return "" }
    return " The same folder has \(near)\(ending): did you mean \"\(folders)\(near)\"?"
  }
}
