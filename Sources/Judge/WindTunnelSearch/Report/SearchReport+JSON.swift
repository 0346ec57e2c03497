public import Foundation

// The JSON of a search's report, version 1.
//
//   { "windtunnelSearch": 1, "flow": "checkout", "seed": "1", "searchedDepth": 2,
//     "faultSets": [678, 74799], "orders": 2762, "withoutEffect": 0, "alike": 215,
//     "cutShort": false, "repeatable": true, "comparesResults": true, "milliseconds": 54000,
//     "calm": ["0 ms  GET /home → 200"],
//     "coverage": [{ "request": "GET /home", "layer": "tcp", "kinds": 9, "faultSets": 8123 }],
//     "interruptions": 1204,
//     "equals": [{ "request": "GET /home", "kind": "refused", "others": ["offline"] }],
//     "notCarried": [{ "kind": "idle-close", "reason": "Only a socket can carry it." }],
//     "notVirtual": [],
//     "finds": [{ "rule": "blank-page", "request": "GET /home", "seen": "…", "faultSet": ["…"],
//                 "scenario": { … }, "order": "7", "certain": "…", "requests": ["…"],
//                 "others": 12, "afterMilliseconds": 61, "new": true }] }
extension SearchReport {
  /// The version of the format.
  fileprivate static let version = 1

  /// Returns the report as JSON.
  public func data() -> Data { Data(json.fileBytes()) }

  private var json: JSON {
    [
      "windtunnelSearch": .number(Self.version), "flow": .text(flow),
      "seed": .text(String(seed)), "searchedDepth": .number(depth),
      "faultSets": .numbers(faultSets), "orders": .number(orders),
      "withoutEffect": .number(withoutEffect), "alike": .number(alike),
      "cutShort": .bool(isCutShort), "repeatable": .bool(isRepeatable),
      "comparesResults": .bool(comparesResults),
      "milliseconds": .number(Int(time.wholeMilliseconds)), "calm": .texts(calm),
      "coverage": .array(
        coverage.rows.map {
          [
            "request": .orNull($0.request), "layer": .text($0.layer.rawValue),
            "kinds": .number($0.kinds), "faultSets": .number($0.faultSets),
          ]
        }
      ),
      "interruptions": .number(coverage.interruptions),
      "equals": .array(
        equals.filter { !$0.others.isEmpty }.map {
          ["request": .text($0.request), "kind": .text($0.kind), "others": .texts($0.others)]
        }
      ),
      "notCarried": .array(
        notCarried.map { ["kind": .text($0.kind), "reason": .text($0.reason)] }
      ),
      "notVirtual": .array(
        notVirtual.map { ["faultSet": .text($0.kind), "reason": .text($0.reason)] }
      ),
      "finds": .array(finds.map(\.json)),
    ]
  }

  /// Marks the finds that an earlier report does not contain.
  ///
  /// - Parameter baseline: The finds of the earlier report.
  /// - Returns: This report, in which each find states whether it is new.
  public func compared(to baseline: SearchBaseline) -> SearchReport {
    var compared = self
    for place in finds.indices {
      compared.finds[place].isNew = !baseline.known.contains(finds[place].violation.identity)
    }
    return compared
  }
}

/// The finds of an earlier report, with which later reports are compared.
public struct SearchBaseline: Sendable {
  let known: Set<Violation.Identity>

  /// The maximum size of a report's file in bytes. A larger file is rejected before it is read.
  public static let fileBytesMax = 64 << 20

  /// Reads a report that was written as JSON.
  ///
  /// - Throws: `FileError` or `FormatError` if it cannot be read.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    let source = file.lastPathComponent
    let json = try JSON(parsing: data, source: source)
    guard json["windtunnelSearch"] == .number(SearchReport.version),
      case .array(let finds)? = json["finds"]
    else {
      throw FormatError(
        source: source,
        place: "",
        problem: "this is not a certificate of a search of version \(SearchReport.version)",
        fix: "Pass a file that windtunnel search --report FILE.json wrote."
      )
    }
    let violations = finds.compactMap { find in
      find["rule"]?.stringValue.map {
        Violation($0, of: find["request"]?.stringValue, find["seen"]?.stringValue ?? "")
      }
    }
    known = Set(violations.map(\.identity))
  }
}

extension Find {
  fileprivate var json: JSON {
    let seed: UInt64? = if case .drawn(let seed) = faultSet.order { seed } else { nil }
    return .object(
      JSON.members([
        "rule": .text(violation.rule), "request": violation.request.map { .text($0) },
        "seen": .text(violation.seen), "faultSet": .texts(words),
        "scenario": faultSet.scenario.json,
        "order": seed.map { .text(String($0)) }, "certain": certain.map { .text($0) },
        "requests": .texts(requests), "others": .number(others),
        "afterMilliseconds": .number(Int(after.wholeMilliseconds)), "new": isNew.map { .bool($0) },
      ])
    )
  }
}
