internal import Foundation
internal import Mutations
public import WindTunnel
internal import WindTunnelSymptoms

/// Secrets in every kind of place, all invented; each interaction holds one that the others do not.
public struct Planted: Sendable {
  /// What kind of place it is.
  public var place: String
  /// The secret.
  public var secret: String
  /// What holds it, under a path of its own.
  public var interaction: Interaction
  /// Whether it can be sent and answered: user info, notes and failures have no place on the wire.
  public var travels: Bool { !Self.written.contains(place) }

  private static let written: Set<String> = [
    "user info", "WebSocket", "error text", "message text", "note",
  ]

  /// A secret with letters that every spelling treats in another way.
  static func secret(_ number: Int, _ season: UInt64) -> String {
    var lot = Generator(seed: (UInt64(number) &+ season &* 1_000_003) &* 7919)
    let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    let word = String((0..<14).map { _ in letters.randomElement(using: &lot) ?? "a" })
    return "s\(number)/\(word)+x"
  }

  private static func get(_ headers: HeaderFields = [:], _ body: String = "") -> Interaction {
    Interaction(Request("GET", "https://api.example.test/a", headers: headers), .text(Body(body)))
  }

  static func answer(
    _ body: Body,
    _ headers: HeaderFields = [:]
  ) -> Interaction {
    var headers = headers
    headers.append("Content-Length", "\(body.data.count)")
    return Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(headers: headers, body: body)
    )
  }

  private static func form(_ text: String) -> Interaction {
    Interaction(
      Request(
        "POST",
        "https://api.example.test/form",
        headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Body(text)
      ),
      Response(status: 204)
    )
  }

  private static func quoted(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }

  private static func digits(_ text: String) -> String {
    text.utf8.map { String(UInt16($0) + 0x100, radix: 16).suffix(2) }.joined()
  }

  private static func base64(_ text: String) -> String {
    Data(text.utf8).base64EncodedString()
  }

  private static func multipart(_ secret: String) -> Interaction {
    let body = """
      --wind\r\nContent-Disposition: form-data; name="title"\r\n\r\nBooks\r
      --wind\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n\(secret)\r
      --wind--\r\n
      """
    return Interaction(
      Request(
        "POST",
        "https://api.example.test/upload",
        headers: ["Content-Type": "multipart/form-data; boundary=wind"],
        body: Body(body)
      ),
      Response(status: 204)
    )
  }

  private static func webToken(_ secret: String) -> String {
    let header = base64(#"{"alg":"HS256","typ":"JWT"}"#)
    let payload = base64(#"{"sub":"\#(secret)","exp":1700000000}"#)
    let parts = [header, payload, base64(secret)].map {
      $0.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }
    return parts.joined(separator: ".")
  }

  private static func message(_ text: String) -> Interaction {
    var interaction = Interaction(
      Request("GET", "https://api.example.test/ws"),
      Response(status: 101)
    )
    interaction.messages = [
      WebSocketMessage(from: .server, Body(text), isText: true, offset: .zero)
    ]
    return interaction
  }

  private static func noted(_ json: JSON) -> Interaction {
    var interaction = get()
    interaction.notes = [JSON.Member("_seen", json)]
    return interaction
  }

  private static func url(_ text: String) -> Interaction {
    Interaction(Request("GET", RequestURL(text)), Response(status: 204))
  }

  /// Each kind of place and what plants a secret there.
  public static let kinds: [(place: String, make: @Sendable (String) -> Interaction)] = [
    ("user info", { url("https://ada:\(quoted($0))@api.example.test/a") }),
    ("query", { url("https://api.example.test/a?page=2&access_token=\($0.dropLast(2))") }),
    ("encoded query", { url("https://api.example.test/a?Api-Key=\(quoted($0))&page=2") }),
    (
      "address in a query",
      {
        url("https://api.example.test/a?next=\(quoted("https://b.example/?token=\(quoted($0))"))")
      }
    ),
    ("bearer", { get(["Authorization": "Bearer \($0)"]) }),
    ("Basic credentials", { get(["Authorization": "Basic \(base64("ada:\($0)"))"]) }),
    ("proxy credentials", { get(["proxy-authorization": "Basic \(base64("ada:\($0)"))"]) }),
    ("cookie", { get(["Cookie": "theme=; sid=\($0)"]) }),
    ("set cookie", { answer(Body(""), ["Set-Cookie": "sid=\($0); Path=/"]) }),
    ("key header", { get(["X-Api-Key": $0, "X-Auth-Token": $0, "X-Amz-Security-Token": $0]) }),
    ("location", { answer(Body(""), ["Location": "/next?code=1&sessionId=\(quoted($0))#a"]) }),
    ("fragment", { answer(Body(""), ["Location": "https://b.example/#id_token=\(quoted($0))"]) }),
    ("link", { answer(Body(""), ["Link": "</a?page=2&sig=\(quoted($0))>; rel=\"next\""]) }),
    ("form", { form("user=ada&passwd=\(quoted($0))&x=1") }),
    ("multipart", multipart),
    ("JSON", { answer(Body(#"{"user":{"tokens":[{"refresh_token":"\#($0)"}]}}"#)) }),
    ("JSON in JSON", { answer(Body(#"{"data":"{\"clientSecret\":\"\#($0)\"}"}"#)) }),
    ("base64 body", { answer(Body(base64(#"{"loginToken":"\#($0)"}"#))) }),
    ("base64 in JSON", { answer(Body(#"{"blob":"\#(base64("password=\($0)&a=b"))"}"#)) }),
    (
      "gzip",
      {
        answer(Body(Packed.gzip(#"{"id_token":"\#($0)"}"#)), ["Content-Encoding": "gzip"])
      }
    ),
    (
      "deflate",
      {
        answer(Body(Packed.deflate("{\"sign\":\"\($0)\"}")), ["Content-Encoding": "deflate"])
      }
    ),
    ("WebSocket", { message(#"{"type":"auth","session":"\#($0)"}"#) }),
    (
      "error text",
      {
        Interaction(
          Request("GET", "https://api.example.test/a"),
          .failure(
            Failure(.timedOut, text: "No answer from https://a.example/?token=\(quoted($0)), 3 s")
          )
        )
      }
    ),
    (
      "message text",
      {
        Interaction(
          Request("GET", "https://api.example.test/a"),
          .failure(Failure(.timedOut, text: "Refused: password='\($0)'."))
        )
      }
    ),
    ("web token", { answer(Body("Here it is: \(webToken($0)).")) }),
    ("events", { answer(Body("event: a\ndata: {\"token\":\"\($0)\"}\n\ndata: end\n\n")) }),
    ("cut JSON", { answer(Body("{\"id\":7,\"items\":[{\"secret\": \"\($0)\", \"na")) }),
    ("XML", { answer(Body("<a><s:Password kind=\"x\">\($0)</s:Password></a>")) }),
    ("field list", { answer(Body(#"[{"name":"X-Api-Key","value":"\#($0)"}]"#)) }),
    ("sentence", { answer(Body("{\"message\":\"Your password is \($0).\"}")) }),
    ("hexadecimal digits", { answer(Body("{\"blob\":\"\(digits("{\"pwd\":\"\($0)\"}"))\"}")) }),
    ("other labels", { answer(Body(#"[{"id":"client_secret","content":"\#($0)"}]"#)) }),
    ("note", { noted(["deep": [["apiKey": .text($0)]]]) }),
  ]

  /// Each kind of place twice, with one set of secrets.
  public static let all = all(season: 0)

  /// Each kind of place twice. The secrets of another season are others, in the same places.
  public static func all(season: UInt64) -> [Planted] {
    (0..<2 * kinds.count).map { index in
      let kind = kinds[index % kinds.count]
      let secret = Self.secret(index + 1, season)
      var interaction = kind.make(secret)
      let url = interaction.request.url.description
      interaction.request.url = RequestURL(
        url.replacing("example.test/", with: "example.test/n\(index)/", maxReplacements: 1)
      )
      return Planted(place: kind.place, secret: secret, interaction: interaction)
    }
  }
}
