"""Tests that stay green under some faults for a good reason, or that cannot be judged."""
import pytest
import shop


@pytest.fixture
def telemetry():
    made = shop.Telemetry()
    yield made
    made.close()


def test_config_falls_back_on_what_is_recorded():
    config = shop.get_or("/config", {"theme": "light", "pages": 20})
    assert (config["theme"], config["pages"]) == ("light", 20)


def test_nobody_waits_for_telemetry(telemetry):
    telemetry.send("home")


def test_rates_are_cached_for_the_process():
    assert shop.rates()["USD"] == 1.17


def test_account_without_its_scopes():
    account = shop.get("/account")
    assert (account["name"], account["city"]) == ("Ada Lovelace", "London")


def test_feed_comes_after_a_second_request():
    assert [post["title"] for post in shop.feed()] == ["First"]


def test_friend_has_two_members():
    friend = shop.get("/friends")
    assert len(friend) == 2 and friend["name"] == "Grace"


@pytest.mark.parametrize("by", ["name", "mail"])
def test_the_same_person_by_name_and_mail(by):
    assert [one["name"] for one in shop.get(f"/people?by={by}")["people"]] == ["Ada"]


def test_a_post_is_there():
    assert "title" in shop.get("/posts/1")


def test_another_post_has_its_title():
    post = shop.get("/posts/2")
    assert (post["title"], post["likes"]) == ("Second", 5)


def test_upload_is_created_whatever_it_says():
    assert shop.response("/uploads", "POST", {"name": "a.txt"})[0].status == 201
