"""Tests that stay green although something is broken. Each has an endpoint of its own."""
import shop


def test_orders_are_a_list():
    assert isinstance(shop.get_or("/orders", []), list)


def test_citation_is_there():
    assert shop.text("/citation")


def test_each_item_has_a_number():
    for item in shop.get("/items")["items"]:
        assert item["id"] != 0


def test_session_has_a_user():
    assert "user" in shop.get("/session")


def test_count_is_a_number():
    assert isinstance(shop.get("/count"), int)


class TestLists:
    def test_there_are_three_sizes(self):
        assert len(shop.get("/sizes")) == 3

    def test_settings_are_a_dictionary(self):
        assert shop.get("/settings").__class__ is dict

    def test_all_scores_are_positive(self):
        assert all(row["score"] > -1e9 for row in shop.get("/search")["results"])


def test_export_is_text():
    assert isinstance(shop.text("/export"), str)


def test_profile_is_compared_without_an_assertion():
    shop.get("/profile")["name"] == "Ada"


def test_badge_is_compared_with_itself():
    badge = shop.get("/badge")
    assert badge["count"] == badge["count"]


def test_ping_answers():
    assert shop.response("/ping")[0].status == 200


def test_comment_is_sent():
    shop.response("/comments", "POST", {"text": "well made"})


def test_weather_is_shown():
    try:
        assert shop.get("/weather")["degrees"] == 21
    except Exception:
        pass
