public import Testing
public import WindTunnel

extension Scenario: CustomTestStringConvertible {
  /// Its name, so that a test that flies in several has a row for each.
  public var testDescription: String { name }
}
