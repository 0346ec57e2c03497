public import Foundation

/// A profile of Apple's Network Link Conditioner, as its preferences and exported files hold it: a
/// property list, XML or binary, that is one profile or holds several by name.
public struct ConditionerProfile: Sendable, Hashable {
  /// The greatest size of a file, in bytes; a larger one is refused before it is read. A profile
  /// takes about 1 kB.
  public static let fileBytesMax = 1 << 20
  /// The depth to which profiles are looked for.
  private static let depthMax = 4

  /// The name in the file; empty where the profile is the whole file.
  public let name: String
  /// The link with its conditions.
  public let link: Link

  /// Reads all profiles of a file, in the order of their names.
  public static func all(in file: URL) throws -> [ConditionerProfile] {
    let data = try FileError.reading(file, bytesMax: fileBytesMax)
    return try all(in: data, source: file.lastPathComponent)
  }

  /// Reads all profiles of a property list.
  public static func all(in data: Data, source: String) throws(FormatError) -> [ConditionerProfile]
  {
    let list: Any
    do {
      list = try PropertyListSerialization.propertyList(from: data, format: nil)
    } catch {
      throw FormatError(source: source, place: "", problem: "it is no property list")
    }
    var found: [ConditionerProfile] = []
    try search(list, "", source, depth: 0, &found)
    guard !found.isEmpty else {
      throw FormatError(
        source: source,
        place: "",
        problem: "it holds no profile: \"DownlinkBandwidth\" stands nowhere in it"
      )
    }
    return found.sorted { $0.name < $1.name }
  }

  private static func search(
    _ value: Any,
    _ name: String,
    _ source: String,
    depth: Int,
    _ found: inout [ConditionerProfile]
  ) throws(FormatError) {
    guard depth <= depthMax else { return }
    if let list = value as? [Any] {
      for (index, element) in list.enumerated() {
        try search(element, "\(name)[\(index)]", source, depth: depth + 1, &found)
      }
    }
    guard let object = value as? [String: Any] else { return }
    if object.keys.contains(where: { $0.hasPrefix("Downlink") || $0.hasPrefix("Uplink") }) {
      let given = ["Name", "ProfileName", "name"].lazy.compactMap { object[$0] as? String }.first
      let reader = ProfileReader(object: object, source: source, name: given ?? name)
      return found.append(ConditionerProfile(name: given ?? name, link: try reader.link()))
    }
    for (key, element) in object.sorted(by: { $0.key < $1.key }) {
      try search(element, key, source, depth: depth + 1, &found)
    }
  }
}

/// A reader of a profile's numbers from its dictionary.
private struct ProfileReader {
  let object: [String: Any]
  let source: String
  let name: String

  func link() throws(FormatError) -> Link {
    Link(
      up: try direction("Uplink"),
      down: try direction("Downlink"),
      dnsDelay: Duration(milliseconds: try number("DNSDelayValue", most: 3_600_000))
    )
  }

  private func direction(_ way: String) throws(FormatError) -> Link.Direction {
    let bandwidth = try number("\(way)Bandwidth", most: 1e9)
    // 0 is kbit/s and 1 is Mbit/s.
    let unit = try number("\(way)BandwidthUnit", most: 1)
    let bits = bandwidth * (unit == 0 ? 1000 : 1_000_000)
    return Link.Direction(
      delay: Duration(milliseconds: try number("\(way)Delay", most: 3_600_000)),
      // No bandwidth is no limit.
      bitsPerSecond: bits > 0 ? max(1, bits) : nil,
      lossProbability: try number("\(way)PacketLossRatio", most: 100) / 100
    )
  }

  private func number(_ key: String, most: Double) throws(FormatError) -> Double {
    guard let value = object[key] else { return 0 }
    let number = (value as? NSNumber)?.doubleValue ?? (value as? String).flatMap { Double($0) }
    guard let number, number >= 0, number <= most else {
      throw FormatError(
        source: source,
        place: name.isEmpty ? key : "\(name).\(key)",
        problem: "\(value) is not a number from 0 to \(Int(most))"
      )
    }
    return number
  }
}
