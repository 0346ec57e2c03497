// Who drills reads the report.

@_exported public import WindTunnelImports
@_exported public import WindTunnelReports
