import Origins
import PlantedSecrets
import TestSupport
import WindTunnel
import WindTunnelServer

/// The hard secrets on their way through the tool: what asks for them, what answers, and what looks for
/// them afterwards.
enum HardTraffic {
  /// The field by which an origin finds the answer: several cases have one address.
  private static let field = "X-Case"
  static let origin = "https://api.example.test"

  /// Those that HTTP/1.1 can carry to an origin that is asked by its path.
  static let travelling: [HardSecret] = HardSecret.all.filter {
    $0.interactions.allSatisfy(travels)
  }

  private static func travels(_ interaction: Interaction) -> Bool {
    guard let response = interaction.response, interaction.failure == nil else { return false }
    let (request, url) = (interaction.request, interaction.request.url)
    let fields = request.headers.map(\.value) + response.headers.map(\.value)
    return response.status >= 200 && url.origin == origin && url.userInfo == nil
      && interaction.messages.isEmpty && interaction.notes.isEmpty
      && !url.target.utf8.contains { $0 <= 0x20 || $0 >= 0x7F }
      && !fields.contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
  }

  /// Their interactions, each with its number in the request.
  static func numbered(_ cases: [HardSecret] = travelling) -> [Interaction] {
    cases.flatMap(\.interactions).enumerated().map { index, interaction in
      var interaction = interaction
      interaction.request.headers.append(field, "\(index + 1)")
      return interaction
    }
  }

  /// Answers each request with its case.
  static func server(_ interactions: [Interaction]) async throws -> ReplayServer {
    var matcher = Matcher.pathAndQuery
    matcher.headers = [field]
    let deck = Deck(Cassette(interactions), matcher: matcher, then: .repeat)
    return try await ReplayServer(deck, .patient)
  }

  /// Asks a server for each of them, one after the other, by whole addresses where it is a proxy; the
  /// statuses of the answers.
  static func ask(
    _ requests: [Request],
    of url: String,
    asProxyFor origin: String = ""
  ) async throws -> [Int?] {
    let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
    return await withCheckedContinuation { continuation in
      // It blocks, on a thread of its own.
      Thread.detachNewThread {
        continuation.resume(
          returning: requests.map { request in
            // One that got no answer has no status.
            let answer = try? LoopbackExchange.answer(to: bytes(request, origin), at: port)
            let head = String(decoding: (answer ?? Data()).prefix { $0 != 13 }, as: UTF8.self)
            return head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
          }
        )
      }
    }
  }

  /// A request as it stands on the wire.
  static func bytes(_ request: Request, _ origin: String = "") -> Data {
    let host = origin.isEmpty ? "127.0.0.1" : String(origin.dropFirst("http://".count))
    var head = "\(request.method) \(origin)\(request.url.target) HTTP/1.1\r\nHost: \(host)\r\n"
    for field in request.headers { head += "\(field.name): \(field.value)\r\n" }
    let length = request.body.data.count
    if length > 0 || request.method != "GET" { head += "Content-Length: \(length)\r\n" }
    return Data("\(head)Connection: close\r\n\r\n".utf8) + request.body.data
  }

  /// The titles of those of whose secrets one can be read in texts, the known ones aside.
  static func leaking(
    _ cases: [HardSecret] = travelling,
    in texts: [String],
    except known: Set<String> = []
  ) -> [String] {
    let joined = Spellings.joined(texts)
    return cases.filter { hard in
      !known.contains(hard.title)
        && hard.secrets.contains { !isFoundByChance($0) && Spellings.leak($0, in: joined) }
    }.map(\.title)
  }

  /// A few digits, part of which is looked for, too, stand in many a time and a port.
  private static func isFoundByChance(_ secret: String) -> Bool {
    secret.utf8.count < 12 && secret.allSatisfy(\.isNumber)
  }

  /// The same in what was told.
  static func leaking(
    _ cases: [HardSecret] = travelling,
    told: [String],
    except known: Set<String> = []
  ) -> [String] {
    leaking(cases, in: told.flatMap { Spellings.texts(Data($0.utf8)) }, except: known)
  }

  /// Those that hold a secret in what is made of them.
  static func travelling(with part: (Interaction) -> Request) -> [HardSecret] {
    travelling.filter { hard in
      let parts = hard.interactions.map { Interaction(part($0), Response(status: 200)) }
      return !leaking([hard], in: Spellings.texts(Cassette(parts))).isEmpty
    }
  }
}

extension HardTraffic {
  /// A HAR of them as a browser's developer tools write it: what stands in fields and addresses is said
  /// again in lists of its own.
  static func har(_ interactions: [Interaction]) throws -> Data {
    let entries: [[String: Any]] = interactions.enumerated().map { index, interaction in
      let (request, response) = (interaction.request, interaction.response)
      var asked: [String: Any] = [
        "method": request.method, "url": request.url.description, "httpVersion": "HTTP/2.0",
        "headers": pairs(request.headers), "headersSize": -1,
        "bodySize": request.body.data.count,
        "queryString": fields(request.url.query ?? "", by: "&"),
        "cookies": request.headers.values("Cookie").flatMap { fields($0, by: ";") },
      ]
      let type = request.headers["Content-Type"] ?? ""
      if !request.body.data.isEmpty {
        let text = String(decoding: request.body.data, as: UTF8.self)
        asked["postData"] = [
          "mimeType": type, "text": text,
          "params": type.contains("urlencoded") ? fields(text, by: "&") : [],
        ]
      }
      let body = response?.body.data ?? Data()
      var content: [String: Any] = [
        "size": body.count, "mimeType": response?.headers["Content-Type"] ?? "",
      ]
      if let text = String(data: body, encoding: .utf8) {
        content["text"] = text
      } else {
        (content["text"], content["encoding"]) = (body.base64EncodedString(), "base64")
      }
      return [
        "startedDateTime": "2024-05-01T10:\(10 + index / 60 % 50):\(10 + index % 50).000Z",
        "time": 12, "request": asked, "cache": [:] as [String: Any], "pageref": "page_1",
        "_initiator": ["type": "script", "url": request.url.description],
        "_resourceType": "fetch", "serverIPAddress": "192.0.2.1", "comment": "",
        "response": [
          "status": response?.status ?? 0, "statusText": "", "httpVersion": "HTTP/2.0",
          "headers": pairs(response?.headers ?? [:]), "content": content, "headersSize": -1,
          "cookies": (response?.headers.values("Set-Cookie") ?? []).flatMap {
            fields(String($0.prefix { $0 != ";" }), by: ";")
          },
          "redirectURL": response?.headers["Location"] ?? "", "bodySize": -1,
        ] as [String: Any],
        "timings": ["send": 0, "wait": 10, "receive": 2],
      ]
    }
    let log: [String: Any] = [
      "version": "1.2", "creator": ["name": "test", "version": "1"], "entries": entries,
      "pages": [
        [
          "startedDateTime": "2024-05-01T10:00:00.000Z", "id": "page_1",
          "title": interactions.first.map { "\($0.request.url)" } ?? "",
          "pageTimings": [:] as [String: Any],
        ] as [String: Any]
      ],
    ]
    return try JSONSerialization.data(withJSONObject: ["log": log])
  }

  private static func pairs(_ headers: HeaderFields) -> [[String: String]] {
    headers.map { ["name": $0.name, "value": $0.value] }
  }

  private static func fields(_ text: String, by separator: Character) -> [[String: String]] {
    text.split(separator: separator).map { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? String(parts[1]) : ""
      return [
        "name": parts[0].trimmingCharacters(in: .whitespaces),
        "value": value.removingPercentEncoding ?? value,
      ]
    }
  }
}
