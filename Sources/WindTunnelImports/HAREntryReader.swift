internal import Foundation
internal import WindTunnelSymptoms

/// Reads one entry; what was lost on the way is among the `warnings`.
struct HAREntryReader {
  private(set) var warnings: [String] = []
  /// When the request began, counted from 1970.
  private(set) var date: Duration?
  /// Why the entry tells of no exchange by HTTP, if it does not.
  private(set) var whyOutside: String?
  /// Messages of a WebSocket that stood in a file of their own.
  private(set) var attachedMessages: [JSON] = []

  private let source: String
  private let attachments: HARAttachments
  private let path: String
  private var name = ""

  init(source: String, index: Int, _ attachments: HARAttachments = .none) {
    (self.source, self.attachments) = (source, attachments)
    path = "log.entries[\(index)]"
  }

  /// The interaction; `nil` for an entry that is none of HTTP.
  ///
  /// - Throws: `FormatError` for an entry that does not say what was asked.
  mutating func interaction(_ entry: JSON) throws(FormatError) -> Interaction? {
    guard case .object = entry else { throw error("", "an object should stand here") }
    guard let asked = entry.present("request"), case .object = asked else {
      throw error(".request", "the request is missing")
    }
    guard let method = asked["method"]?.stringValue, method.isToken else {
      throw error(".request.method", "a method should stand here")
    }
    guard let address = asked["url"]?.stringValue else {
      throw error(".request.url", "the URL is missing")
    }
    date = entry["startedDateTime"].flatMap { DateText.sinceEpoch($0) }
    guard let url = Self.address(address, askedBy: method) else {
      // The rest of the URL may hold anything, user info too, and is not shown.
      let scheme = address.prefix { $0.isASCII && ($0.isLetter || $0 == "-") }
      whyOutside = "its URL (\(scheme.prefix(20))…) is none that HTTP goes to"
      return nil
    }
    name = ", \(method) \(url.origin ?? "")\(url.path)"
    guard method != "CONNECT" else {
      whyOutside = "a tunnel says nothing of what went through it"
      return nil
    }
    if date == nil { warn("startedDateTime is no date; the entry stays where it is in the file") }
    let request = request(asked, method: method, url: url)
    guard let answer = answer(entry, to: request) else { return nil }
    var interaction = Interaction(request, answer, timing: Self.timing(entry["timings"]))
    attachedMessages = readAttachedMessages(entry)
    interaction.messages = messages(including(entry))
    interaction.notes = Self.notes(entry)
    interaction.innerNotes = Self.innerNotes(entry, of: interaction)
    return interaction
  }

  /// The interaction with what we ourselves have added to the entry; then nothing was lost.
  ///
  /// - Throws: `FormatError` for an entry that does not say what was asked, or for an addition that
  ///   is none of ours.
  mutating func completed(_ entry: JSON) throws(FormatError) -> Interaction? {
    let read = try interaction(entry)
    guard let addition = entry.present(HARAddition.key) else { return read }
    (warnings, whyOutside) = ([], nil)
    return try HARAddition.applied(addition, to: read, source: source, path: path)
  }

  /// The bytes of a body that only names its file; a warning says why there are none.
  mutating func attached(_ name: String, _ whose: String) -> Data? {
    do throws(HARAttachments.Problem) {
      return try attachments.read(name)
    } catch {
      warn("\(whose) is in the file \"\(name.prefix(80))\", which \(error.reason)")
      return nil
    }
  }

  /// The entry with what stood in files that it names.
  func including(_ entry: JSON) -> JSON {
    guard !attachedMessages.isEmpty, case .object(let members) = entry else { return entry }
    return .object(members + [JSON.Member("_webSocketMessages", .array(attachedMessages))])
  }

  mutating func warn(_ problem: String) { warnings.append("\(path)\(name): \(problem).") }

  private func error(_ key: String, _ problem: String) -> FormatError {
    FormatError(source: source, place: path + key, problem: problem)
  }

  /// The address if HTTP is spoken there. The handshake of a WebSocket is HTTP (RFC 6455 §4.1).
  private static func address(_ text: String, askedBy method: String) -> RequestURL? {
    var url = RequestURL(text, askedBy: method)
    switch url.scheme {
    case "http", "https": break
    case "ws": url.scheme = "http"
    case "wss": url.scheme = "https"
    // Two slashes begin an authority, and a part of it may be secret.
    case nil where text.hasPrefix("/") && !text.hasPrefix("//"): break
    default: return nil
    }
    if url.host?.isEmpty == true { return nil }
    // On a cassette, {name} in a path stands for any segment.
    url.path = percentEncoded(url.path) { $0 == "{" || $0 == "}" }
    url.query = url.query.map { percentEncoded($0) { _ in false } }
    return url
  }

  /// Encodes what may not stand in a request line, and what else is asked for.
  private static func percentEncoded(
    _ text: String,
    _ isSpecial: (Unicode.Scalar) -> Bool
  ) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.value <= 0x20 || scalar.value == 0x7F || isSpecial(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += scalar.value < 0x10 ? "%0\(digits)" : "%\(digits)"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  private mutating func request(_ asked: JSON, method: String, url: RequestURL) -> Request {
    var fields = headers(asked["headers"])
    let content = requestContent(asked, headers: fields)
    content.settle(&fields)
    return Request(method, url, headers: fields, body: Body(content.data))
  }

  private mutating func answer(_ entry: JSON, to request: Request) -> Answer? {
    let got = entry.present("response") ?? .object([])
    let texts = ["_error", "_failureText"].flatMap { [got[$0], entry[$0]] }
    let reason = texts.lazy.compactMap { $0?.stringValue }.first { !$0.isEmpty }
    let failure = Failure(reason.map { Symptom(harError: $0) } ?? .unknown, text: reason)
    let status = got["status"]?.wholeValue ?? 0
    guard status > 0 else {
      if reason == nil { warn("there is no answer and no reason; it is kept as \"unknown\"") }
      return .failure(failure)
    }
    guard 100...999 ~= status else {
      whyOutside = "\(status) is no status of HTTP"
      return nil
    }
    var fields = headers(got["headers"])
    var content = responseContent(got, headers: fields)
    let type = got["content"]?["mimeType"]?.stringValue ?? ""
    if fields.isEmpty, !content.data.isEmpty, type.contains("/") {
      fields.append("Content-Type", type)
    }
    let isCut = reason != nil && failure.symptom.cutsAnswers
    if Response.hasNoContent(method: request.method, status: status) {
      settleWithoutContent(&content, &fields, method: request.method, status: status)
    } else {
      if content.data.isEmpty { warnOfMissingText(got) }
      content.settle(&fields, isCut: isCut)
    }
    let response = Response(status: status, headers: fields, body: Body(content.data))
    return isCut ? .cut(response, failure) : .response(response)
  }

  /// `nil` where nothing was measured.
  private static func timing(_ timings: JSON?) -> Timing? {
    // Days and weeks are no measurement; -1 stands for none.
    let range = 0...1e9
    let wait = timings?["wait"]?.measure.flatMap { range.contains($0) ? $0 : nil }
    let receive = timings?["receive"]?.measure.flatMap { range.contains($0) ? $0 : nil }
    if wait == nil, receive == nil { return nil }
    let first = wait ?? 0
    return Timing(
      firstByte: Duration(milliseconds: first),
      lastByte: Duration(milliseconds: first + (receive ?? 0))
    )
  }
}
