public import Foundation

// The certificate's text, version 1.
//
//   { "windtunnelCertificate": 1, "flow": "checkout", "seed": "1", "searchedDepth": 2,
//     "storms": [678, 74799], "orders": 2762, "withoutEffect": 0, "alike": 215,
//     "cutShort": false, "repeatable": true, "comparesResults": true, "milliseconds": 54000,
//     "calm": ["0 ms  GET /home → 200"],
//     "coverage": [{ "request": "GET /home", "layer": "tcp", "kinds": 9, "storms": 8123 }],
//     "interruptions": 1204,
//     "equals": [{ "request": "GET /home", "kind": "refused", "others": ["offline"] }],
//     "notCarried": [{ "kind": "idle-close", "reason": "Only a socket can carry it." }],
//     "notVirtual": [],
//     "finds": [{ "rule": "blank-page", "request": "GET /home", "seen": "…", "storm": ["…"],
//                 "scenario": { … }, "order": "7", "certain": "…", "requests": ["…"],
//                 "others": 12, "afterMilliseconds": 61, "new": true }] }
extension Certificate {
  /// The version of the text.
  fileprivate static let version = 1

  /// Returns the certificate as JSON.
  public func data() -> Data { Data(json.fileBytes()) }

  private var json: JSON {
    [
      "windtunnelCertificate": .number(Self.version), "flow": .text(flow),
      "seed": .text(String(seed)), "searchedDepth": .number(depth),
      "storms": .array(storms.map { .number($0) }), "orders": .number(orders),
      "withoutEffect": .number(withoutEffect), "alike": .number(alike),
      "cutShort": .bool(isCutShort), "repeatable": .bool(isRepeatable),
      "comparesResults": .bool(comparesResults),
      "milliseconds": .number(Int(time.wholeMilliseconds)),
      "calm": .array(calm.map { .text($0) }),
      "coverage": .array(
        coverage.rows.map {
          [
            "request": $0.request.map { .text($0) } ?? .null, "layer": .text($0.layer.rawValue),
            "kinds": .number($0.kinds), "storms": .number($0.storms),
          ]
        }
      ),
      "interruptions": .number(coverage.interruptions),
      "equals": .array(
        equals.filter { !$0.others.isEmpty }.map {
          [
            "request": .text($0.request), "kind": .text($0.kind),
            "others": .array($0.others.map { .text($0) }),
          ]
        }
      ),
      "notCarried": .array(
        notCarried.map { ["kind": .text($0.kind), "reason": .text($0.reason)] }
      ),
      "notVirtual": .array(
        notVirtual.map { ["storm": .text($0.kind), "reason": .text($0.reason)] }
      ),
      "finds": .array(finds.map(\.json)),
    ]
  }

  /// Marks the finds that an earlier certificate does not have.
  ///
  /// - Parameter baseline: The finds of the earlier one.
  /// - Returns: This certificate, each find with the word whether it is new.
  public func compared(to baseline: CertificateBaseline) -> Certificate {
    var compared = self
    for place in finds.indices {
      compared.finds[place].isNew = !baseline.known.contains(finds[place].violation.identity)
    }
    return compared
  }
}

/// The finds of an earlier certificate, which later ones are compared with.
public struct CertificateBaseline: Sendable {
  let known: Set<Violation.Identity>

  /// The greatest size of a certificate's file, in bytes; a larger one is refused before it is
  /// read.
  public static let fileBytesMax = 64 << 20

  /// Reads a certificate that was written as JSON.
  ///
  /// - Throws: `FileError` or `FormatError` where it does not read.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    let source = file.lastPathComponent
    let json = try JSON(parsing: data, source: source)
    guard json["windtunnelCertificate"] == .number(Certificate.version),
      case .array(let finds)? = json["finds"]
    else {
      throw FormatError(
        source: source,
        place: "",
        problem: "this is no certificate of a search of version \(Certificate.version)",
        remedy: "Give a file that windtunnel search --report FILE.json wrote."
      )
    }
    var known: Set<Violation.Identity> = []
    for find in finds {
      guard let rule = find["rule"]?.stringValue else { continue }
      let seen = find["seen"]?.stringValue ?? ""
      known.insert(Violation(rule, of: find["request"]?.stringValue, seen).identity)
    }
    self.known = known
  }
}

extension Find {
  fileprivate var json: JSON {
    var members: [JSON.Member] = [JSON.Member("rule", .text(violation.rule))]
    if let request = violation.request { members.append(JSON.Member("request", .text(request))) }
    members += [
      JSON.Member("seen", .text(violation.seen)),
      JSON.Member("storm", .array(words.map { .text($0) })),
      JSON.Member("scenario", storm.scenario.json),
    ]
    if case .drawn(let seed) = storm.order { members.add("order", .text(String(seed))) }
    if let certain { members.append(JSON.Member("certain", .text(certain))) }
    members += [
      JSON.Member("requests", .array(requests.map { .text($0) })),
      JSON.Member("others", .number(others)),
      JSON.Member("afterMilliseconds", .number(Int(after.wholeMilliseconds))),
    ]
    if let isNew { members.append(JSON.Member("new", .bool(isNew))) }
    return .object(members)
  }
}
