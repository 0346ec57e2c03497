#!/usr/bin/env escript
%% Makes one call with Erlang's httpc at its defaults: client.escript URL
main([Url]) ->
    {ok, _} = application:ensure_all_started(inets),
    case httpc:request(Url) of
        {ok, {{_, 200, _}, _, Body}} -> io:put_chars(Body);
        Other -> io:format(standard_error, "~p~n", [Other]), halt(1)
    end.
