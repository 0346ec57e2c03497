// The common imports of all commands. No other module imports this program.

@_exported public import Foundation
@_exported public import WindTunnelCommandLine
@_exported public import WindTunnelDrill
@_exported public import WindTunnelHAR
@_exported public import WindTunnelMutants
@_exported public import WindTunnelRelease
@_exported public import WindTunnelServer
