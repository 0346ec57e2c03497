public import Foundation
internal import WindTunnel

// The certificate's text, version 1.
//
//   { "windtunnelCertificate": 1, "flow": "checkout", "seed": 1, "searchedDepth": 2,
//     "storms": [678, 74799], "orders": 2762, "withoutEffect": 0, "alike": 215,
//     "cutShort": false, "repeatable": true, "comparesResults": true, "milliseconds": 54000,
//     "calm": ["0 ms  GET /home → 200"],
//     "equals": [{ "request": "GET /home", "kind": "refused", "others": ["offline"] }],
//     "notCarried": [{ "kind": "idle-close", "reason": "Only a socket can carry it." }],
//     "finds": [{ "rule": "blank-page", "request": "GET /home", "seen": "…", "storm": ["…"],
//                 "scenario": { … }, "order": 7, "certain": "…", "requests": ["…"],
//                 "others": 12, "afterMilliseconds": 61, "new": true }] }
extension Certificate {
  /// The version of the text.
  private static let version = 1

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
      "finds": .array(finds.map(\.json)),
    ]
  }

  /// The greatest size of a certificate that is read, in bytes.
  private static let fileBytesMax = 64 << 20

  /// Marks the finds that an earlier certificate does not have.
  ///
  /// - Parameter file: The earlier one, as JSON.
  /// - Returns: This certificate, each find with the word whether it is new.
  /// - Throws: `FileError` or `FormatError` where it does not read.
  public func compared(to file: URL) throws -> Certificate {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    let source = file.lastPathComponent
    let json = try JSON(parsing: data, source: source)
    guard json["windtunnelCertificate"] != nil else {
      throw FormatError(
        source: source,
        place: "",
        problem: "this is no certificate of a search",
        remedy: "Give a file that windtunnel search --report FILE.json wrote."
      )
    }
    var known: Set<Violation.Identity> = []
    if case .array(let finds)? = json["finds"] {
      for find in finds {
        guard let rule = find["rule"]?.stringValue else { continue }
        known.insert(Violation.Identity(rule: rule, request: find["request"]?.stringValue))
      }
    }
    var compared = self
    for place in finds.indices {
      compared.finds[place].isNew = !known.contains(finds[place].violation.identity)
    }
    return compared
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
    if case .drawn(let seed) = storm.order {
      members.append(JSON.Member("order", .text(String(seed))))
    }
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
