internal import Foundation
package import WindTunnel

// The response to a recorded login that is sent again has new secrets, which replace the redacted
// parts of later requests.

extension Secrets {
  /// Learns the values in a live response at the places of a recorded one's redacted parts.
  package mutating func learn(from recorded: Response, _ live: Response) {
    for field in recorded.headers {
      // The value of a cookie is followed by its dates.
      let pair = { (text: String) in
        field.isNamed("Set-Cookie") ? String(text.prefix { $0 != ";" }) : text
      }
      for value in live.headers.values(field.name) { learn(pair(field.value), pair(value)) }
    }
    // A body that is not JSON has no places to compare.
    guard let there = recorded.headers.opened(recorded.body.data)?.content,
      let here = live.headers.opened(live.body.data)?.content,
      let old = try? JSONParser.parse(there), let new = try? JSONParser.parse(here)
    else { return }
    learn(old, new)
  }

  private mutating func learn(_ recorded: JSON, _ live: JSON) {
    switch (recorded, live) {
    case (.object(let members), .object(let others)):
      let live = Dictionary(others.map { ($0.name.value, $0.value) }) { first, _ in first }
      for member in members { live[member.name.value].map { learn(member.value, $0) } }
    case (.array(let there), .array(let here)):
      for (one, other) in zip(there, here) { learn(one, other) }
    default: learn(recorded.stringValue ?? "", live.stringValue ?? "")
    }
  }

  private mutating func learn(_ recorded: String, _ live: String) {
    guard RedactedText.mayBeIn(recorded.utf8) else { return }
    for (part, value) in RedactedText(recorded)?.values(in: live) ?? [:] where !value.isEmpty {
      set(value, for: "\(part.name)-\(part.ordinal)")
    }
  }
}

extension Cassette {
  /// The indices of interactions whose responses have redacted parts that later requests send: each
  /// is a login, or the result of one.
  package var logins: Set<Int> {
    var (sent, logins): (Set<Pseudonym>, Set<Int>) = ([], [])
    for (index, interaction) in interactions.enumerated().reversed() {
      let request = Interaction(interaction.request, Response()).pseudonyms
      let given = interaction.pseudonyms.subtracting(request)
      if !sent.isDisjoint(with: given) { logins.insert(index) }
      sent.formUnion(request)
    }
    return logins
  }
}
