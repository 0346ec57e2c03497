internal import WindTunnel
internal import WindTunnelCommandLine

/// `--volatile NAME`: header fields that are not looked at where recordings are compared.
enum VolatileFlag {
  static let name = "--volatile"

  static let flag = Flag(
    name,
    "NAME",
    "A header field that differs each time, as Date does; may repeat."
  )

  static func names(_ arguments: Arguments) throws(Refusal) -> [String] {
    let names = arguments.all(name)
    if let odd = names.first(where: { !$0.isHTTPToken }) {
      throw .value(name, odd, shouldBe: "the name of a header field such as X-Served-By")
    }
    return names
  }
}
