"""What a change to a description is called: each rule explains a verdict, none decides one."""
