internal import Foundation
@_exported public import WindTunnelCassettes
internal import WindTunnelSymptoms

// The redaction of secrets.
//
// Every interaction is walked twice. The first walk learns: a value with a secret's name or a
// secret's format gets a pseudonym. The second walk writes: it replaces these values and every
// repetition of a learned value, in any escaping. Two walks are necessary because a repetition may
// precede the secret.
//
// A walk decodes formats (``Decoder``), searches the texts within them (``Detector``) and judges
// the findings (``Judgement``). It then encodes the result so that all other bytes are unchanged.
//
// - Only a value is replaced. Its surroundings keep their spelling, in a query, a form, a JSON
//   string and a text. In a text, a value ends at a delimiter, so that code stays code and a page a
//   page.
// - A JSON body keeps its layout around replaced values. A secret number in a response becomes 0,
//   because it has no room for an ordinal. Boolean values and null stay.
// - A compressed body without replacements is unchanged. Otherwise it is stored uncompressed, and
//   `Content-Encoding` is removed. Fields that describe its bytes are updated or removed
//   (``BodyChange``).
// - Every repetition of a secret of six or more bytes is replaced. A shorter secret, or one that is
//   itself a word for secrets, is only replaced between word boundaries (`WordBoundary`). It must
//   also be certainly a secret: a password, a PIN, credentials. Secrets of three bytes or fewer are
//   never searched.
// - Interactions that cannot be rewritten are omitted and reported. This applies to a body that
//   cannot be decoded (br, zstd, a file in zstd), unless its type is image, audio, video or font.
//   It also applies to compressed content without a label that contains a secret, and to binary
//   content or a host that repeats one.

/// The removal of secrets from recordings before they are stored.
package struct Redaction {
  /// Descriptions of the interactions that were omitted.
  package private(set) var leftOut: [String] = []
  /// The indices of the kept interactions in the last input.
  package private(set) var keptPlaces: [Int] = []
  /// The log of findings; `nil` if it is not needed.
  var log: RedactionLog?

  let rules: RedactionRules
  /// The paths in JSON bodies whose values are kept.
  let keptPaths: [JSONPath]
  var names: SecretNames
  package var pseudonyms = Pseudonyms()
  /// The search for known secrets; empty during the learning walk.
  var echoes = KnownValueSearch()
  /// Whether this is the learning walk.
  private(set) var isLearning = true
  /// The search for all secrets learned so far.
  private var heard = KnownValueSearch()
  /// The secrets learned since the previous query.
  private var learned: [String] = []
  /// The kind of the current text, which affects the search for words that are secrets.
  var place = KnownValueSearch.Context.prose
  /// Whether the walk is within a request, which no client reads again.
  private(set) var isAsked = false
  /// The reason why the current interaction cannot be stored.
  var obstacle: String?
  /// The number of bytes of escaped texts that may still be read again in the current interaction.
  /// The limit is needed because nested escapings multiply the cost.
  var rereadBytesLeft = Self.rereadBytesMin
  /// The number of bytes that were decompressed from within the current interaction.
  var unpackedBytes = 0

  /// Creates a redaction that continues the numbering of a cassette's placeholders.
  package init(continuing interactions: [Interaction], rules: RedactionRules = .standard) {
    self.rules = rules
    names = SecretNames(rules)
    keptPaths = rules.keptPaths
    for interaction in interactions { InteractionTexts(interaction).forEach { keepFree($0) } }
  }

  /// Returns the interactions that can be stored, without their secrets.
  package mutating func redact(_ interactions: [Interaction]) -> [Interaction] {
    (echoes, isLearning) = (KnownValueSearch(), true)
    // If there are no secrets, nothing is repeated, and the first walk already gives the result.
    var first: [(interaction: Interaction, obstacle: String?)] = []
    var isSaid = heard.isEmpty
    for (index, interaction) in interactions.enumerated() {
      log?.begin(index)
      obstacle = nil
      let walked = redacted(interaction)
      isSaid = isSaid && !pseudonyms.hasUnheard
      if isSaid { first.append((walked, obstacle)) } else { first = [] }
    }
    hear()
    (echoes, isLearning) = (heard, false)
    var kept: [Interaction] = []
    keptPlaces = []
    for (index, interaction) in interactions.enumerated() {
      log?.begin(index)
      obstacle = isSaid ? first[index].obstacle : nil
      let interaction = isSaid ? first[index].interaction : redacted(interaction)
      if let obstacle {
        let request = interaction.request
        // With too many secrets, not all of them are known.
        let url = pseudonyms.isOverfull ? "an address" : echoless(request.url.description)
        leftOut.append("\(request.method) \(url): \(obstacle)")
      } else {
        kept.append(interaction)
        keptPlaces.append(index)
      }
    }
    return kept
  }

  /// Adopts what a copy has learned that was made of this one at `start`.
  ///
  /// - Returns: The new ordinals of pseudonyms whose ordinals have been assigned here meanwhile.
  package mutating func adopt(_ other: Redaction, since start: Redaction) -> [Pseudonym: Int] {
    let ordinals = pseudonyms.adopt(other.pseudonyms, since: start.pseudonyms, other.learned)
    (echoes, isLearning) = (KnownValueSearch(), true)
    hear(as: other.heard)
    return ordinals
  }

  private mutating func hear(as copy: KnownValueSearch? = nil) {
    let unheard = pseudonyms.takeUnheard()
    heard.listen(for: unheard, as: copy.map { ($0, pseudonyms.sought) })
    learned += unheard.map(\.secret)
  }

  /// Returns the secrets learned since the previous query.
  package mutating func takeLearned() -> [String] {
    defer { learned = [] }
    return learned
  }

  private mutating func redacted(_ interaction: Interaction) -> Interaction {
    var interaction = interaction
    pseudonyms.own = []
    unpackedBytes = 0
    rereadBytesLeft = Self.rereadBytesMin + 16 * interaction.bodyBytes
    log?.part = "request URL"
    isAsked = true
    var request = interaction.request
    request.url = address(request.url)
    log?.part = "request"
    var untimed: Timing?
    message(&request.headers, &request.body, &untimed)
    interaction.request = request
    isAsked = false
    log?.part = "response"
    if var response = interaction.response {
      message(&response, &interaction.timing)
      interaction.editResponse { $0 = response }
    }
    if var failure = interaction.failure {
      log?.part = "failure text"
      failure.text = failure.text.map { text($0) }
      interaction.result = RecordedResult(interaction.response, failure) ?? interaction.result
    }
    for index in interaction.messages.indices {
      log?.part = "message \(index)"
      let message = interaction.messages[index]
      let bytes = Bytes(message.body.data)
      isAsked = message.sender == .client
      let content = content(ofMessage: bytes, isBinary: message.kind == .binary)
      if content != bytes { interaction.messages[index].body = Body(Data(content)) }
    }
    isAsked = false
    log?.part = "notes"
    interaction.notes = notes(interaction.notes)
    for (place, members) in interaction.innerNotes.sorted(by: { $0.key < $1.key }) {
      interaction.innerNotes[place] = notes(members)
    }
    if pseudonyms.isOverfull {
      let reason = "has more than \(Pseudonyms.soughtMax) credentials, the maximum of a search"
      obstacle = "it \(reason)"
      log?.leaveOff(reason)
    }
    pseudonyms.own = nil
    return interaction
  }

  /// The minimum number of bytes of escaped texts that may be read again in each interaction,
  /// regardless of its bodies.
  private static let rereadBytesMin = 4 << 20

  private mutating func message(_ response: inout Response, _ timing: inout Timing?) {
    let (headers, old) = (response.headers, response.body)
    message(&response.head.headers, &response.body, &timing)
    if old != response.body {
      // A digest in a trailer describes the body in the same way as one in a header.
      if old.count <= Body.openedBytesMax, let content = headers.opened(old.data)?.content {
        let change = BodyChange(from: old.data, content, to: response.body.data)
        response.head.trailers.follow(change)
      } else {
        response.head.trailers.follow(bodyGrowth: 0)
      }
    }
    if let reason = response.head.customReasonPhrase {
      response.head.customReasonPhrase = text(reason)
    }
    if !response.trailers.isEmpty { response.head.trailers = fields(response.trailers, "trailer") }
    for index in response.head.informational.indices {
      let head = response.head.informational[index]
      response.head.informational[index].headers = fields(head.headers, "interim header")
    }
  }

  /// Redacts a message's fields and its body, and keeps fields, body and chunks consistent.
  private mutating func message(
    _ headers: inout HeaderFields,
    _ body: inout Body,
    _ timing: inout Timing?
  ) {
    let type = headers["Content-Type"] ?? ""
    log?.meet(ContentType(type))
    headers = fields(headers)
    guard body.count > 0 else { return }
    let part = log?.part
    defer { part.map { log?.part = $0 } }
    part.map { log?.part = "\($0) body" }
    if let batches = EventBatches(large: body, of: headers) {
      if let growth = stream(&body, batches, type: type, &timing) {
        headers.follow(bodyGrowth: growth)
      }
      return
    }
    let coding = headers.values("Content-Encoding").joined(separator: ", ")
    if body.count > Body.openedBytesMax {
      return look(intoLarge: body.data, type: type, coding: coding)
    }
    guard let opened = Inflate.opened(body.data, coding: coding) else {
      if !ContentType(type).isMedia {
        obstacle = "a body in \(coding) cannot be decoded to search for credentials"
        log?.unopened(coding)
      }
      return
    }
    let (whole, surplus) = (Bytes(opened.content), Bytes(opened.surplus))
    let content = content(whole, type: type, what: "a body")
    // Clients ignore surplus bytes, which are removed together with the coding.
    let rest = surplus.isEmpty ? surplus : self.content(surplus, type: "", what: "a body")
    // Clients also ignore a name and a comment in its header (RFC 1952 §2.3.1).
    let packed = coding.isEmpty ? [] : Bytes(body.data)
    let hasHead = EmbeddedTexts(packed).isKnown && holds(EmbeddedTexts.lines(of: packed), 0)
    guard content != whole || rest != surplus || hasHead else { return }
    let (before, after) = (body.data, Data(content))
    body = Body(after)
    timing?.refit(from: before, to: after)
    headers.remove("Content-Encoding")
    headers.follow(BodyChange(from: before, opened.content, to: after))
  }

  /// Searches a large stream of events part by part, with only one part in memory.
  ///
  /// - Parameters:
  ///   - body: The stream, which is replaced if it contains secrets.
  ///   - batches: Its parts.
  ///   - type: The media type, as it is written.
  ///   - timing: The chunks of the stream.
  /// - Returns: The change of the stream's size in bytes; `nil` if nothing was replaced.
  mutating func stream(
    _ body: inout Body,
    _ batches: EventBatches,
    type: String,
    _ timing: inout Timing?
  ) -> Int? {
    var rewriting = BodyRewriting(body, timing)
    for batch in batches where !pseudonyms.isOverfull {
      guard batch.count <= batches.bytesMax else {
        obstacle =
          "an event of more than \(batches.bytesMax) bytes is too large to be searched for "
          + "credentials"
        continue
      }
      unpackedBytes = 0
      let content = content(Bytes(body.bytes(batch)), type: type, what: "an event")
      // An omitted interaction need not be rewritten.
      if obstacle == nil { rewriting.replace(batch, by: Data(content)) }
    }
    guard obstacle == nil, let rewritten = rewriting.finish(&timing) else { return nil }
    defer { body = rewritten }
    return rewritten.count - body.count
  }

  /// Returns notes without secrets. They are redacted like JSON, and the rest keeps its spelling.
  /// `_har` is searched for secrets and then removed.
  mutating func notes(_ members: [JSON.Member]) -> [JSON.Member] {
    guard !members.isEmpty else { return members }
    let bytes = Bytes(JSON.object(members).bytes())
    guard let replaced = json(bytes, depth: 0), replaced != bytes,
      // The text was just written as JSON, so it can be parsed.
      let json = try? JSONParser.parse(replaced), case .object(let members) = json
    else { return members.withoutHAR }
    return members.withoutHAR
  }

  /// Returns the notes of a cassette without secrets. In a log, they have the number 0.
  mutating func notes(ofCassette members: [JSON.Member]) -> [JSON.Member] {
    log?.begin(-1)
    rereadBytesLeft = Self.rereadBytesMin
    log?.part = "notes"
    return notes(members)
  }

  private mutating func keepFree(_ bytes: Bytes) {
    guard PseudonymText.mayBeIn(bytes) else { return }
    pseudonyms.keepFree(bytes)
    for run in Base64Text.runs(in: bytes) {
      if let inner = EncodedText.decoded(bytes[run]) { pseudonyms.keepFree(inner) }
    }
  }
}

extension Cassette {
  /// Returns the cassette without its secrets, and descriptions of the omitted interactions.
  package func redacted(
    by rules: RedactionRules = .standard
  ) -> (cassette: Cassette, leftOut: [String]) {
    var redaction = Redaction(continuing: interactions, rules: rules)
    var cassette = Cassette(redaction.redact(interactions))
    // Notes are processed last, when all secrets are known.
    cassette.notes = redaction.notes(notes)
    return (cassette, redaction.leftOut)
  }
}

extension [JSON.Member] {
  /// The notes without `_har`, under which the first builds stored all content of a HAR.
  package var withoutHAR: Self { filter { $0.name.value != "_har" } }
}

// One import is enough: a module re-exports the modules that it builds on.

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 15)
