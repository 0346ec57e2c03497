internal import Foundation
@_exported public import WindTunnelCassettes
internal import WindTunnelSymptoms

// How secrets are taken out.
//
// Everything is walked through twice. The first walk learns: what stands under a secret's name, or
// looks like a secret, gets a pseudonym. The second walk writes: it replaces the same, and beside
// it each learnt value wherever it is repeated, in whatever spelling, since an echo may come before
// its secret is known.
//
// On its way the walk opens what holds texts and values (``Decoder``), asks what is found in them
// (``Detector``) and how sure that is (``Judgement``), and closes all to the byte.
//
// - A value goes and nothing else: what stands around it keeps its spelling to the byte, in a
//   query, a form, a string of JSON and a text. In a text it ends where it is delimited, so that
//   code stays code and a page a page.
// - A JSON body keeps its layout to the byte around what is replaced. A secret number of an answer
//   becomes 0: it has no room for an ordinal. Truth values and null stay.
// - A packed body in which nothing is replaced stays as it came. Else it is kept opened, and
//   `Content-Encoding` goes; fields that vouch for its bytes follow or go (``BodyChange``).
// - A secret of six bytes and more is replaced wherever it is repeated; a shorter one, and one that
//   is itself a word for secrets, where it stands alone (`WordBoundary`) and was surely one: a
//   password, a PIN, credentials. Three bytes and less are never looked for.
// - Left out, and named, is what cannot be rewritten: a body that cannot be opened (br, zstd, a
//   file in zstd) unless its type is picture, sound, film or font; a file in gzip that holds a
//   secret; binary content that repeats a secret; a host that does.

/// The removal of secrets from recordings before they are kept.
package struct Redaction {
  /// The interactions that were not kept, in words.
  package private(set) var leftOut: [String] = []
  /// The places of those that were kept, in what was redacted last.
  package private(set) var keptPlaces: [Int] = []
  /// The log of what is found, where somebody wants to know.
  var log: RedactionLog?

  let rules: RedactionRules
  /// The places in JSON bodies whose values stay.
  let keptPaths: [JSONPath]
  var names: SecretNames
  package var pseudonyms = Pseudonyms()
  /// The values that are looked for everywhere: none on the walk that learns them.
  var echoes = KnownValueSearch()
  /// Tells whether it is the walk that learns.
  private(set) var isLearning = true
  /// All that was learnt by now.
  private var heard = KnownValueSearch()
  /// The values that were learnt since somebody asked.
  private var learned: [String] = []
  /// The place where the walk is, which tells how words that are secrets are looked for.
  var place = KnownValueSearch.Place.prose
  /// Tells whether it is within what a client asks, which nobody reads again.
  private(set) var isAsked = false
  /// The reason why the interaction at hand cannot be kept.
  var obstacle: String?
  /// The number of bytes that may be read once more because they are spelled in a way of their own,
  /// in the interaction at hand: a few ways within each other are many readings.
  var rereadBytesLeft = Self.rereadBytesMin
  /// The number of bytes that have been unpacked from within the interaction at hand.
  var unpackedBytes = 0

  /// Goes on counting where the redactions of a cassette end.
  package init(continuing interactions: [Interaction], rules: RedactionRules = .standard) {
    self.rules = rules
    names = SecretNames(rules)
    keptPaths = rules.keptPaths
    for interaction in interactions { InteractionTexts(interaction).forEach { keepFree($0) } }
  }

  /// Returns the interactions that may be kept, without their secrets.
  package mutating func redact(_ interactions: [Interaction]) -> [Interaction] {
    (echoes, isLearning) = (KnownValueSearch(), true)
    // Where no secret is ever met there is no echo of one, and the first walk says all.
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
        // With too many in it nobody knows all of them.
        let url = pseudonyms.isOverfull ? "an address" : echoless(request.url.description)
        leftOut.append("\(request.method) \(url): \(obstacle)")
      } else {
        kept.append(interaction)
        keptPlaces.append(index)
      }
    }
    return kept
  }

  /// Takes over what a copy has learnt that was made of this one at `start`.
  ///
  /// - Returns: The ordinals that were given away here meanwhile, and what they are instead.
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

  /// Returns the secrets that were learnt since this was asked the last time.
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
      let reason = "has more than \(Pseudonyms.soughtMax) credentials, too many to look for"
      obstacle = "it \(reason)"
      log?.leaveOff(reason)
    }
    pseudonyms.own = nil
    return interaction
  }

  /// The number of bytes that each interaction may have read once more, whatever its bodies.
  private static let rereadBytesMin = 4 << 20

  private mutating func message(_ response: inout Response, _ timing: inout Timing?) {
    let (headers, old) = (response.headers, response.body)
    message(&response.head.headers, &response.body, &timing)
    if old != response.body {
      // A digest behind the body vouches for it as one in front of it does.
      if old.count <= Body.openedBytesMax, let content = headers.opened(old.data)?.content {
        let change = BodyChange(from: old.data, content, to: response.body.data)
        response.head.trailers.follow(change)
      } else {
        response.head.trailers.follow(bodyGrowth: 0)
      }
    }
    if let reason = response.head.reason { response.head.reason = text(reason) }
    if !response.trailers.isEmpty { response.head.trailers = fields(response.trailers, "trailer") }
    for index in response.head.informational.indices {
      let head = response.head.informational[index]
      response.head.informational[index].headers = fields(head.headers, "interim header")
    }
  }

  /// A message's fields, its body and the pieces of that, which agree with each other afterwards.
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
        obstacle = "a body in \(coding) cannot be opened to look for credentials"
        log?.unopened(coding)
      }
      return
    }
    let (whole, surplus) = (Bytes(opened.content), Bytes(opened.surplus))
    let content = content(whole, type: type, what: "a body")
    // Clients pass over what stands behind, and it goes with the coding.
    let rest = surplus.isEmpty ? surplus : self.content(surplus, type: "", what: "a body")
    // So do a name and a comment in its head (RFC 1952 §2.3.1).
    let packed = coding.isEmpty ? [] : Bytes(body.data)
    let hasHead = EmbeddedTexts(packed).isKnown && holds(EmbeddedTexts.lines(of: packed), 0)
    guard content != whole || rest != surplus || hasHead else { return }
    let (before, after) = (body.data, Data(content))
    body = Body(after)
    timing?.refit(from: before, to: after)
    headers.remove("Content-Encoding")
    headers.follow(BodyChange(from: before, opened.content, to: after))
  }

  /// Looks through a large stream of events part by part, with no more in memory than one of them.
  ///
  /// - Parameters:
  ///   - body: The stream, which is another one where something was replaced.
  ///   - batches: Its parts.
  ///   - type: The media type, as it is written.
  ///   - timing: The pieces of the stream.
  /// - Returns: The number of bytes that it is longer now; `nil` where nothing was replaced.
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
          "an event of more than \(batches.bytesMax) bytes is too large to be looked through for "
          + "credentials"
        continue
      }
      unpackedBytes = 0
      let content = content(Bytes(body.bytes(batch)), type: type, what: "an event")
      // What is left out need not be written.
      if obstacle == nil { rewriting.replace(batch, by: Data(content)) }
    }
    guard obstacle == nil, let rewritten = rewriting.finish(&timing) else { return nil }
    defer { body = rewritten }
    return rewritten.count - body.count
  }

  /// Notes are JSON like any other; what is not replaced keeps its spelling. `_har` is searched for
  /// secrets, and removed.
  mutating func notes(_ members: [JSON.Member]) -> [JSON.Member] {
    guard !members.isEmpty else { return members }
    let bytes = Bytes(JSON.object(members).bytes())
    guard let replaced = json(bytes, depth: 0), replaced != bytes,
      // It was written here a moment ago.
      let json = try? JSONParser.parse(replaced), case .object(let members) = json
    else { return members.withoutHAR }
    return members.withoutHAR
  }

  /// Returns the notes of a cassette as they are told of in a log: as number 0.
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
  /// Returns the cassette without its secrets, and what could not be kept, in words.
  package func redacted(
    by rules: RedactionRules = .standard
  ) -> (cassette: Cassette, leftOut: [String]) {
    var redaction = Redaction(continuing: interactions, rules: rules)
    var cassette = Cassette(redaction.redact(interactions))
    // Looked at last, when all secrets are known.
    cassette.notes = redaction.notes(notes)
    return (cassette, redaction.leftOut)
  }
}

extension [JSON.Member] {
  /// The notes without `_har`, the name under which the first builds kept all content of a HAR.
  package var withoutHAR: Self { filter { $0.name.value != "_har" } }
}

// One import is enough: a module brings along what it stands on.

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 15)
