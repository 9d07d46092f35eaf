-- Fewer bytes of a payment.

-- A response repeats most of an event of its Change, and is stored without that part: after a mark, the event, the place of the part in
-- the response, its place in the event's body and its length. All of it and what is before it is ASCII, which every encoding counts
-- alike. No JSON has the mark, and a node of an earlier commit, to which it is a text of an unknown key, fails instead of giving what is
-- stored.
create function corridor_response_event(response text) returns text
language sql immutable parallel safe
return nullif(split_part(split_part(response, E'\x13', 2), ' ', 1), '');

-- The response as it was given. `body`: that of its event. Null where the event is gone.
create function corridor_response(response text, body text) returns text
language sql immutable parallel safe
return case
  when not starts_with(response, E'sealed:\x13') then response
  when corridor_response_event(response) is null then substr(response, 10)
  else overlay(
    substr(response, length(split_part(response, E'\x13', 2)) + 10)
    placing substr(body, split_part(split_part(response, E'\x13', 2), ' ', 3)::int,
      split_part(split_part(response, E'\x13', 2), ' ', 4)::int)
    from split_part(split_part(response, E'\x13', 2), ' ', 2)::int for 0
  )
end;
