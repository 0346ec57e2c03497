internal import Foundation

/// The distance of a request from a recording, and the differences by part.
struct RequestDistance {
  /// The maximum length of a value in an explanation.
  private static let shownMax = 120

  private(set) var distance = 0.0
  private(set) var comparisons: [Mismatch.PartComparison] = []
  /// Whether the bodies are read as a whole.
  var readsBody = true

  /// Compares all parts except the bodies, which are expensive to read.
  ///
  /// `status` is the recorded status: a 304 or 412 is only valid for the recorded condition.
  init(_ recorded: Request, _ asked: Request, _ matcher: Matcher, answers status: Int? = nil) {
    Work.read(1)
    let isOther = matcher.comparesMethod && !recorded.isMethod(of: asked)
    add(
      .method,
      isCompared: matcher.comparesMethod,
      weight: 2,
      isOther ? [.init(name: "method", recorded: recorded.method, asked: asked.method)] : []
    )
    compareOrigins(recorded.url, asked.url, matcher)
    let path = Self.path(recorded, asked, matcher)
    add(.path, isCompared: true, weight: path.weight, path.difference.map { [$0] } ?? [])
    compareFields(
      .query,
      matcher.queryFields(recorded.url),
      matcher.queryFields(asked.url),
      isCompared: true
    ) { "query \"\($0)\"" }
    // A recorded part only matches its own range, regardless of the matcher.
    var fields = matcher
    let isPart = recorded.headers["Range"] != nil
    if isPart, !matcher.headers.contains(where: { $0.equalsIgnoringASCIICase("Range") }) {
      fields.headers.append("Range")
    }
    let condition = status == 304 || status == 412 ? Conditions(recorded.headers) : nil
    let isConditional = condition?.isEmpty == false
    if isConditional { fields.headers += Conditions.names }
    compareFields(
      .headers,
      fields.headerFields(recorded),
      fields.headerFields(asked),
      isCompared: !fields.headers.isEmpty
    ) { name in
      let isPart = Conditions.names.contains { isConditional && $0.equalsIgnoringASCIICase(name) }
      return isPart ? "the condition of its \(status ?? 0) response, \(name)" : "header \(name)"
    }
    let refusing = matcher.filters.filter { !$0.allows(recorded, asked) }
    if !matcher.filters.isEmpty {
      add(
        .filter,
        isCompared: true,
        weight: 0.25,
        refusing.map { .init(name: "the value of filter \"\($0.name)\"") }
      )
    }
  }

  /// Compares the bodies. Their result precedes that of the filters.
  mutating func compareBodies(_ recorded: Request, _ asked: Request, _ matcher: Matcher) {
    let compare = readsBody ? BodyDifferences.differences : BodyDifferences.roughDifferences
    let differences = compare(recorded, asked, matcher.body)
    let last = comparisons.last?.part == .filter ? comparisons.popLast() : nil
    add(
      .body,
      isCompared: matcher.comparesBodies,
      // Up to ten differences together weigh 0.9, less than a different method. Further ones add
      // 0.09 each.
      weight: differences.isEmpty ? 0 : max(0.1, 1 / Double(differences.count)) * 0.9,
      differences
    )
    if let last { comparisons.append(last) }
  }

  private mutating func add(
    _ part: Mismatch.Part,
    isCompared: Bool,
    weight: Double,
    _ differences: [Mismatch.Difference]
  ) {
    distance += weight * Double(differences.count)
    comparisons.append(
      Mismatch.PartComparison(part: part, isCompared: isCompared, differences: differences)
    )
  }

  private mutating func compareOrigins(
    _ recorded: RequestURL,
    _ asked: RequestURL,
    _ matcher: Matcher
  ) {
    let hosts = [recorded, asked].compactMap(\.host)
    let isCompared = matcher.authority == .required && hosts.count == 2
    func compare(
      _ part: Mismatch.Part,
      _ one: Matcher.OriginParts,
      _ weight: Double,
      _ there: String?,
      _ here: String?,
      shown: (String?, String?)
    ) {
      let counts = isCompared && matcher.origin.contains(one)
      let differs = counts && there != here
      let name = part.rawValue
      add(
        part,
        isCompared: counts,
        weight: weight,
        differs ? [.init(name: name, recorded: shown.0, asked: shown.1)] : []
      )
    }
    let ports = [recorded, asked].map { $0.effectivePort.map(String.init) }
    let schemes = [recorded, asked].map { $0.scheme ?? "http" }
    let isOtherScheme = schemes[0] != schemes[1]
    // A default port that follows from the scheme is not a difference of its own.
    let writtenPorts =
      recorded.port == nil && asked.port == nil && isOtherScheme && matcher.origin.contains(.scheme)
    compare(.scheme, .scheme, 0.5, schemes[0], schemes[1], shown: (schemes[0], schemes[1]))
    compare(.host, .host, 2, recorded.host, asked.host, shown: (recorded.origin, asked.origin))
    compare(
      .port,
      .port,
      0.5,
      writtenPorts ? nil : ports[0],
      writtenPorts ? nil : ports[1],
      shown: (ports[0], ports[1])
    )
  }

  /// Returns an approximate distance that is cheap to compute, because it is computed for every
  /// recording.
  static func roughDistance(_ recorded: Request, _ asked: Request, _ matcher: Matcher) -> Double {
    var distance = 0.0
    if matcher.comparesMethod, !recorded.isMethod(of: asked) { distance += 2 }
    if matcher.authority == .required, let there = recorded.url.host, let here = asked.url.host {
      if matcher.origin.contains(.host), there != here {
        distance += 2
      } else if matcher.originKey(recorded.url) != matcher.originKey(asked.url) {
        distance += 0.5
      }
    }
    if recorded.url.path != asked.url.path { distance += path(recorded, asked, matcher).weight }
    guard recorded.url.query != asked.url.query else { return distance }
    let fields = [recorded, asked].map { matcher.queryFields($0.url) }
    return distance + 0.5 * Double(FieldDifference.all(fields[0], fields[1]).count)
  }

  private static func path(
    _ recorded: Request,
    _ asked: Request,
    _ matcher: Matcher
  ) -> (weight: Double, difference: Mismatch.Difference?) {
    let paths = [recorded, asked].map(matcher.path)
    if paths[0] == paths[1] { return (0, nil) }
    let there = paths[0].split(separator: "/")
    let here = paths[1].split(separator: "/")
    let written = recorded.url.path.split(separator: "/")
    let shared = zip(zip(there, written), here).prefix { there, here in
      there.0 == here || PathTemplate.isVariable(there.1)
        || RedactedText(String(there.0))?.shape.values(in: String(here)) != nil
    }.count
    let most = max(there.count, here.count)
    guard shared < most || paths[0].hasSuffix("/") != paths[1].hasSuffix("/") else {
      return (0, nil)
    }
    // A spelling error in a segment is closer than a different word.
    let slip = shared < min(there.count, here.count) ? likeness(there[shared], here[shared]) : 0
    return (
      1 + 3 * (1 - (Double(shared) + 0.9 * slip) / Double(max(most, 1))),
      .init(name: "path", recorded: recorded.url.path, asked: asked.url.path)
    )
  }

  /// Returns the common share of two words at their beginnings and ends, from 0 to 1.
  ///
  /// It reads each letter only once, because it runs for every recording.
  private static func likeness(_ left: Substring, _ right: Substring) -> Double {
    let (left, right) = (left.utf8, right.utf8)
    let beginning = zip(left, right).prefix { $0 == $1 }.count
    let end = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
    let shorter = min(left.count, right.count)
    return Double(min(beginning + end, shorter)) / Double(max(left.count, right.count, 1))
  }

  private mutating func compareFields(
    _ part: Mismatch.Part,
    _ recorded: [RequestParts.Field],
    _ asked: [RequestParts.Field],
    isCompared: Bool,
    _ title: (String) -> String
  ) {
    let differences = FieldDifference.all(recorded, asked).map { field in
      let isSecret = ["authorization", "proxy-authorization", "cookie"].contains(field.name)
      return Mismatch.Difference(
        name: title(field.name),
        at: field.name,
        recorded: field.recorded.map(Self.cut),
        asked: isSecret && field.asked != nil ? "…" : field.asked.map(Self.cut),
        isText: true
      )
    }
    add(part, isCompared: isCompared, weight: 0.5, differences)
  }

  /// Whether a recorded text contains redacted parts and matches the request's text.
  static func stands(_ recorded: String, for asked: String) -> Bool {
    guard let shape = RedactedText(recorded)?.shape else { return false }
    if shape.values(in: asked) != nil { return true }
    // Parts of a URL may be escaped differently.
    guard recorded.contains("%") || asked.contains("%") else { return false }
    let plain = [recorded, asked].map { $0.removingPercentEncoding ?? $0 }
    return RedactedText(plain[0])?.shape.values(in: plain[1]) != nil
  }

  /// Returns a value shortened to one line for a sentence.
  static func cut(_ value: String) -> String {
    let line = value.replacing("\n", with: "; ")
    return line.count <= shownMax ? line : "\(line.prefix(shownMax))…"
  }
}

/// A difference in a parameter or header field between a request and a recording.
struct FieldDifference {
  var name: String
  /// The recorded values with this name, joined by commas; `nil` if there are none.
  var recorded: String?
  /// The request's values with this name; `nil` if there are none.
  var asked: String?

  /// Returns the differences by name. Values that match a placeholder are equal.
  static func all(_ recorded: [RequestParts.Field], _ asked: [RequestParts.Field])
    -> [FieldDifference]
  {
    if recorded == asked { return [] }
    let there = Dictionary(grouping: recorded) { $0.name }
    let here = Dictionary(grouping: asked) { $0.name }
    return Set(there.keys).union(here.keys).sorted().compactMap { name in
      let (left, right) = (there[name] ?? [], here[name] ?? [])
      let isSame =
        left.count == right.count
        && zip(left, right).allSatisfy {
          $0 == $1 || RequestDistance.stands($0.value, for: $1.value)
        }
      guard !isSame else { return nil }
      let values: ([RequestParts.Field]) -> String? = { fields in
        fields.isEmpty ? nil : fields.map(\.value).joined(separator: ", ")
      }
      return FieldDifference(name: name, recorded: values(left), asked: values(right))
    }
  }
}
