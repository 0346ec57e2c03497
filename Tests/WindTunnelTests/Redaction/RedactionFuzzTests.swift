import Mutations
import PlantedSecrets
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelHAR
@testable import WindTunnelRedaction

/// Bodies by lot with secrets planted in them; the same for the same seed. More of them with
/// `WINDTUNNEL_FUZZ_SEEDS=10000`.
@Suite(.world) struct RedactionFuzzTests {
  private static let seeds: Range<UInt64> = {
    let words = ProcessInfo.processInfo.environment["WINDTUNNEL_FUZZ_SEEDS"]
    return 0..<(words.flatMap { UInt64($0) } ?? 150)
  }()

  /// Under the last two goes what looks drawn by lot and nothing else.
  private static let names = [
    "password", "access_token", "apiKey", "client-secret", "loginToken", "otp", "X-Api-Key",
    "user[new_password]", "refreshToken", "sign", "SESSION",
  ]

  private static func name(of secret: String, _ generator: inout Generator) -> String {
    generator.pick(TextShape.isDrawn(secret) ? names : names.dropLast(2))
  }

  private static let letters = Array("abcdefXYZ0123456789/+=&%\"\\ äé<>'{}:,.-_~")

  private static func word(_ generator: inout Generator) -> String {
    let count = Int.random(in: 1...12, using: &generator)
    return String((0..<count).map { _ in generator.pick(letters) })
  }

  private static func secret(_ generator: inout Generator) -> String {
    let plain = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    let inner = String((0..<10).map { _ in generator.pick(plain) })
    return inner + generator.pick(["", "/", "+", "\"", "\\", "ä", "&", "=", "%", " x", "<"])
      + String(inner.reversed())
  }

  private static func json(
    _ generator: inout Generator,
    _ secrets: [String],
    depth: Int = 0
  ) -> JSON {
    switch Int.random(in: depth > 3 ? 3...7 : 0...7, using: &generator) {
    case 0, 1:
      return .object(
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in
          JSON.Member(JSON.Text(word(&generator)), json(&generator, secrets, depth: depth + 1))
        } + [member(&generator, secrets)]
      )
    case 2:
      return .array((0...2).map { _ in json(&generator, secrets, depth: depth + 1) })
    case 3:
      return .text("\(JSON.object([member(&generator, secrets)]))")
    case 4: return .number(Int.random(in: -9...99, using: &generator))
    default: return .text(word(&generator))
    }
  }

  private static func member(_ generator: inout Generator, _ secrets: [String]) -> JSON.Member {
    let secret = generator.pick(secrets)
    return JSON.Member(JSON.Text(name(of: secret, &generator)), .text(secret))
  }

  private static func quoted(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }

  private static func interaction(_ generator: inout Generator, _ secrets: [String]) -> Interaction
  {
    let json = json(&generator, secrets)
    let bytes = Data(json.bytes(generator.pick(JSON.Layout.all)))
    let secret = generator.pick(secrets)
    let form =
      "a=\(quoted(word(&generator)))&\(quoted(name(of: secret, &generator)))=\(quoted(secret))"
    let formType: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
    let jsonType: HeaderFields = ["Content-Type": "application/json"]
    let url = RequestURL("https://a.example/\(quoted(word(&generator)))?\(form)")
    let request = Request("POST", url, headers: formType, body: Body(form))
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: return Interaction(request, Response(headers: jsonType, body: Body(bytes)))
    case 1:
      let packed = Packed.gzip(String(decoding: bytes, as: UTF8.self))
      return Interaction(
        request,
        Response(headers: ["Content-Encoding": "gzip"], body: Body(packed))
      )
    case 2: return Interaction(request, .text(Body(bytes.base64EncodedString())))
    case 3:
      let cut = String(decoding: bytes, as: UTF8.self) + "\n" + word(&generator)
      return Interaction(request, .cut(.text(Body(cut)), Failure(.connectionLost, text: form)))
    default:
      return Interaction(request, Response(headers: formType, body: Body(form)))
    }
  }

  @Test(arguments: seeds)
  func `no generated secret is written`(seed: UInt64) {
    var generator = Generator(seed: seed)
    let secrets = (0..<3).map { _ in Self.secret(&generator) }
    let interactions = (0..<3).map { _ in Self.interaction(&generator, secrets) }
    var redaction = Redaction(continuing: [])
    let cassette = Cassette(redaction.redact(interactions))
    let texts = Spellings.texts(cassette)
    for secret in secrets {
      let forms = [secret, Self.quoted(secret), JSON.escaped(secret), String(secret.prefix(10))]
      for form in forms { #expect(!texts.contains { $0.contains(form) }, "seed \(seed)") }
    }
    var again = Redaction(continuing: [])
    expectEqual(again.redact(cassette.interactions), cassette.interactions, "seed \(seed)")
  }

  @Test(arguments: seeds)
  func `damaged bodies neither crash nor hang it`(seed: UInt64) {
    var generator = Generator(seed: seed &+ 1000)
    let secrets = [Self.secret(&generator)]
    var interaction = Self.interaction(&generator, secrets)
    interaction.request.body = Body(Data(generator.mutated(Array(interaction.request.body.data))))
    if var response = interaction.response {
      response.body = Body(Data(generator.mutated(Array(response.body.data))))
      interaction.result = .response(response)
    }
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([interaction])
    expectEqual(kept.count + redaction.leftOut.count, 1)
    _ = CassetteLint(Cassette([interaction]))
  }
}
