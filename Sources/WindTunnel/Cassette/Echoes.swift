internal import Foundation

/// Secrets that turn up where nobody expects them: a login that repeats its token in the body, a
/// redirect that carries it in the address.
struct Echoes {
  /// The spellings, the longest first, so that none is replaced in the middle of another.
  private let spellings: [(text: String, pseudonym: String)]

  /// Looks for secrets and for the spellings that a body may give them.
  init(of secrets: [String: String]) {
    spellings = secrets.sorted { ($0.key.count, $1.key) > ($1.key.count, $0.key) }
      .flatMap { secret, pseudonym in
        Self.spellings(of: secret).map { ($0, pseudonym) }
      }
  }

  private static func spellings(of secret: String) -> [String] {
    let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
    let all = [
      secret, Data(secret.utf8).base64EncodedString(),
      // Some writers of JSON escape the solidus.
      secret.replacing("/", with: "\\/"),
      secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret,
    ]
    return all.enumerated().filter { all.firstIndex(of: $0.element) == $0.offset }.map(\.element)
  }

  /// A text with a pseudonym in the place of each secret.
  func replaced(in text: String) -> String {
    spellings.reduce(text) { text, spelling in
      text.contains(spelling.text) ? text.replacing(spelling.text, with: spelling.pseudonym) : text
    }
  }

  /// An interaction without secrets in its fields and words; address and bodies are as they were.
  func replaced(in interaction: Interaction) -> Interaction {
    guard !spellings.isEmpty else { return interaction }
    var interaction = interaction
    interaction.request.headers = replaced(in: interaction.request.headers)
    switch interaction.answer {
    case .response(var response):
      response.head.headers = replaced(in: response.headers)
      interaction.answer = .response(response)
    case .cut(var response, let failure):
      response.head.headers = replaced(in: response.headers)
      interaction.answer = .cut(response, replaced(in: failure))
    case .failure(let failure): interaction.answer = .failure(replaced(in: failure))
    }
    return interaction
  }

  private func replaced(in fields: HeaderFields) -> HeaderFields {
    HeaderFields(fields.map { HeaderField($0.name, replaced(in: $0.value)) })
  }

  private func replaced(in failure: Failure) -> Failure {
    Failure(failure.symptom, text: failure.text.map { replaced(in: $0) })
  }

  /// Why an interaction cannot be kept; `nil` if it can.
  func reasonToLeaveOut(_ interaction: Interaction) -> String? {
    guard !spellings.isEmpty else { return nil }
    let target = interaction.request.url.target
    if spellings.contains(where: { target.contains($0.text) }) {
      return "its address repeats a credential"
    }
    var messages = [(interaction.request.body, interaction.request.headers)]
    if let response = interaction.response { messages.append((response.body, response.headers)) }
    for (body, headers) in messages where !body.data.isEmpty {
      let coding = headers.values("Content-Encoding").joined(separator: ", ")
      guard let text = Inflate.open(body.data, coding: coding) else {
        return "a body in \(coding) cannot be opened to look for credentials"
      }
      if repeats(text) { return "a body repeats a credential" }
    }
    if interaction.messages.contains(where: { repeats($0.body.data) }) {
      return "a WebSocket message repeats a credential"
    }
    let notes = interaction.notes + interaction.innerNotes.values.flatMap { $0 }
    if notes.contains(where: { repeats($0.value) }) {
      return "a note repeats a credential"
    }
    return nil
  }

  private func repeats(_ data: Data) -> Bool {
    spellings.contains { data.range(of: Data($0.text.utf8)) != nil }
  }

  func repeats(_ json: JSON) -> Bool {
    switch json {
    case .null, .bool, .number: false
    case .string(let text): repeats(Data(text.value.utf8))
    case .array(let elements): elements.contains { repeats($0) }
    case .object(let members):
      members.contains { repeats(.string($0.name)) || repeats($0.value) }
    }
  }
}
