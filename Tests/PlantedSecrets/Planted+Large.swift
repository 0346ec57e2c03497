internal import Foundation
internal import WindTunnel

extension Planted {
  /// A secret in a body so large that it is kept beside the cassette.
  public static let large: Planted = {
    let secret = Self.secret(1000, 0)
    let words = String(repeating: "one more word, ", count: 18_000)
    return Planted(
      place: "large body",
      secret: secret,
      interaction: answer(Body("{\"words\":\"\(words)\",\"access_token\":\"\(secret)\"}"))
    )
  }()
}
