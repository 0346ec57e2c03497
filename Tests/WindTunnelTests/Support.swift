import Foundation
import WindTunnelRedaction

@testable public import WindTunnel

extension Deck {
  /// Requests what an interaction answers, and records the interaction.
  func record(_ interaction: Interaction) { keep(interaction, for: decide(interaction.request)) }
}

/// The interactions that a new recording keeps of these.
func redacted(_ interactions: Interaction...) -> [Interaction] {
  var redaction = Redaction(continuing: [])
  return redaction.redact(interactions)
}

/// The cassettes that the repository keeps.
func shipped(_ folder: String) throws -> [URL] {
  var root = URL(fileURLWithPath: #filePath)
  for _ in 0..<3 { root.deleteLastPathComponent() }
  return try FileManager.default.contentsOfDirectory(
    at: root.appendingPathComponent("Cassettes/\(folder)"),
    includingPropertiesForKeys: nil
  )
  .filter { file in
    let name = file.lastPathComponent
    return name.hasSuffix(".json")
      && ![".schema.json", ".openapi.json"].contains { name.hasSuffix($0) }
  }
  .sorted { $0.path < $1.path }
}

/// What an expression throws, in words; empty if it throws nothing.
func refusal<Value>(_ body: () throws -> Value) -> String {
  do {
    _ = try body()
    return ""
  } catch {
    return "\(error)"
  }
}

extension Delivery.Payload: ExpressibleByStringLiteral {
  /// Bytes of a text, so that steps can be read.
  public init(stringLiteral value: String) { self = .data(Data(value.utf8)) }
}

extension Player.Action {
  static func bytes(_ text: String) -> Player.Action { .bytes(Data(text.utf8)) }
}

extension Cassette {
  init(_ text: String) throws { try self.init(data: Data(text.utf8), source: "a.json") }
}

extension Scenario {
  init(json text: String) throws { try self.init(data: Data(text.utf8), source: "s.json") }
}
