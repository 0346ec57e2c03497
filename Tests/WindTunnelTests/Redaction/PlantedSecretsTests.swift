import PlantedSecrets
import TestSupport

@testable import WindTunnel

@Suite struct PlantedSecretsTests {
  private static let kept = Cassette(Planted.all.map(\.interaction)).redacted()

  @Test func `forty secrets and more in twenty kinds of place and more`() {
    #expect(Planted.kinds.count >= 20)
    #expect(Planted.all.count >= 40)
    expectEqual(Set(Planted.all.map(\.secret)).count, Planted.all.count)
  }

  @Test func `no planted secret is written in any form, and nothing is left out`() {
    let (cassette, leftOut) = Self.kept
    expectEqual(leftOut, [])
    expectEqual(cassette.interactions.count, Planted.all.count)
    let texts = Spellings.joined(Spellings.texts(cassette))
    for planted in Planted.all {
      #expect(!Spellings.leak(planted.secret, in: texts), "\(planted.place)")
    }
  }

  @Test func `a planted secret is found before it is taken out`() {
    for planted in Planted.all {
      let texts = Spellings.joined(Spellings.texts(Cassette([planted.interaction])))
      #expect(Spellings.leak(planted.secret, in: texts), "\(planted.place)")
    }
  }

  @Test func `lint finds every planted secret in an unredacted copy and prints none`() {
    let lint = CassetteLint(Cassette(Planted.all.map(\.interaction)))
    let found = Set(lint.leaks.map(\.number))
    let words = Spellings.joined(lint.leaks.map(\.description))
    for (index, planted) in Planted.all.enumerated() {
      #expect(found.contains(index + 1), "\(planted.place)")
      #expect(!Spellings.leak(planted.secret, in: words))
    }
  }

  @Test func `lint finds a secret in each place when it is alone`() {
    for planted in Planted.all.prefix(Planted.kinds.count) {
      #expect(!CassetteLint(Cassette([planted.interaction])).leaks.isEmpty, "\(planted.place)")
    }
  }

  @Test func `lint finds nothing where the secrets were taken out`() {
    let cassette = Self.kept.cassette
    expectEqual(CassetteLint(cassette).leaks, [])
  }

  @Test func `redacting twice changes nothing`() {
    let once = Self.kept.cassette
    expectEqual(once.redacted().cassette, once)
    var continued = Redaction(continuing: once.interactions)
    expectEqual(continued.redact(once.interactions), once.interactions)
  }

  @Test func `lengths and codings agree with what is kept`() {
    let cassette = Self.kept.cassette
    for interaction in cassette.interactions {
      guard let response = interaction.response else { continue }
      if let length = response.headers["Content-Length"] {
        expectEqual(length, "\(response.body.data.count)")
      }
      expectNil(response.headers["Content-Encoding"])
    }
  }
}
